// SPDX-License-Identifier: BSD-3-Clause
//
// Loops whose elements take turns inside of an inner loop (owned_loop.hpp), strip by strip. A strip
// is run as one when private pointers reach all the elements that it reads, and it writes none of
// them; else its elements are run one by one, as written. x may change the order of the elements
// within a strip. If x moves only whole groups, the elements of a group follow each other, and the
// host's compiler makes vector operations of them.
//
//   for (k...) { p = private address of a[first ^ (x & ~(length - 1))]; low = x & (length - 1);
//                for (j of the strip) sums[j] += p[j ^ low]; }
#include <front/upc/translator/emitter.hpp>
#include <front/upc/translator/owned_loop.hpp>

namespace atl::upc {

// The names of one loop's strips, which end in its number.
struct strip_names {
  std::string number;
  std::string place;  // the iteration, for the text of the body
  std::string set;    // "i = ", with a type where the loop declares its counter
  [[nodiscard]] std::string operator()(const char* noun) const {
    return std::string("atoll_upc_") + noun + "_" + number;
  }
  // "for (j...) { i = ...;" over the elements of the strip
  [[nodiscard]] std::string each() const {
    const std::string j = (*this)("j");
    return "for (ptrdiff_t " + j + " = 0; " + j + " < " + (*this)("count") + "; ++" + j + ") { " +
           element();
  }
  [[nodiscard]] std::string element() const {
    return "const ptrdiff_t " + place + " = " + (*this)("strip") + " + " + (*this)("j") + "; " +
           set + place + ";\n";
  }
  [[nodiscard]] std::string site(const char* noun, std::size_t i) const {
    return std::string("atoll_upc_") + noun + std::to_string(i) + "_" + number;
  }
};

// Texts of the sites: the begins and ends of their runs, and all the x by which indices are
// flipped.
struct strip_parts {
  struct head {
    std::string pointer;   // "const double *h"
    std::string elements;  // of the strip
    std::string flip;      // empty: a sum
  };
  std::string begins, ends, shuffles = "0";
  std::vector<head> of_sites;
  unsigned exclusive_ors = 0;

  // Pointers to the first elements of a group, flipped in the bits of `mask`.
  [[nodiscard]] std::string heads(const std::string& group, const std::string& mask) const {
    std::string text;
    for (const head& each : of_sites) {
      const bool is_flipped = !each.flip.empty() && !mask.empty();
      text += each.pointer + " = " + each.elements + " + " +
              (is_flipped ? "(" + group + " ^ (" + each.flip + mask + "))" : group) + ";\n";
    }
    return text;
  }
};

// Takes the variables of an element out of the strip's, and puts them back.
void emitter::carry(const strip_loop& loop, const strip_names& names, std::string& out,
                    std::string& back) {
  for (const clang::VarDecl* variable : loop.variables) {
    const std::string name = variable->getName().str();
    const std::string kept = names(("of_" + name).c_str()) + "[" + names("j") + "]";
    out += type_name(variable->getType().getUnqualifiedType()) + " " + name + " = " + kept +
           "; (void)" + name + ";\n";
    back += kept + " = " + name + ";";
  }
}

// The head of the inner loop and, for each site, the pointer to its first element for the strip and
// the rest of x.
std::string emitter::head_of_strips(const strip_loop& loop, const strip_names& names) {
  pieces found;
  for (const clang::Stmt* child : {loop.inner->getInit(), (const clang::Stmt*)loop.inner->getCond(),
                                   (const clang::Stmt*)loop.inner->getInc()}) {
    if (child != nullptr) found.push_back({begin_of(child), end_of(child), statement_text(child)});
  }
  std::string text =
      copy(begin_of(loop.inner), begin_of(loop.inner->getBody()), std::move(found)) + "{\n";
  const std::string length = std::to_string(loop.length);
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    const strip_site& site = loop.sites[i];
    const std::string other = site.other == nullptr
                                  ? "0"
                                  : "(ptrdiff_t)(" + type_name(site.type.getUnqualifiedType()) +
                                        ")(" + value(site.other) + ")";
    const std::string x = names.site("x", i), pointer = names.site("q", i);
    const clang::Expr* base = site.lvalue->getBase();
    text += "const ptrdiff_t " + x + " = " + other + ";\nconst atoll_upc_pointer " + pointer +
            " = atoll_upc_add(" + value(base) + ", ";
    text += site.is_exclusive_or ? names("window") + " ^ (" + x + " & -(ptrdiff_t)" + length + ")"
                                 : names("strip") + " + " + x;
    text += ", " + arguments_of_step(base) + ");\n";
  }
  return text;
}

// The number of elements, from the first of the site on, that this strip and the following ones
// read in ascending order. With i ^ x that is more than one strip only where x keeps the order of
// the strips within the block.
std::string emitter::left_of_site(const strip_loop& loop, const strip_names& names, std::size_t i) {
  const strip_site& site = loop.sites[i];
  if (!site.is_exclusive_or) return names("left") + " - " + names("into");
  const std::optional<layout> spread = types_.find_layout(site.lvalue);
  const std::uint64_t block = spread ? spread->block : 0;
  const std::string length = std::to_string(loop.length);
  const bool is_power = block != 0 && (block & (block - 1)) == 0;
  const std::string reordered = "(" + names.site("x", i) + " & -(ptrdiff_t)" + length +
                                (is_power ? " & " + std::to_string(block - 1) : "") + ")";
  return "(" + reordered + " == 0 && " + names("left") + " > " + length + " ? " + names("left") +
         " : " + length + ")";
}

// Whether one private pointer reaches the elements of a site, and none of them is written.
std::string emitter::test_of_site(const strip_loop& loop, const strip_names& names,
                                  const strip_site& site, const std::string& pointer) {
  const std::string needed = site.is_exclusive_or ? std::to_string(loop.length) : names("count");
  std::string text = names("fits") + " &= atoll_upc_run_length(" + pointer + ", " +
                     arguments_of_step(site.lvalue->getBase()) + ", 1, " + needed +
                     ") == " + needed + ";\n";
  const std::string bytes = " * sizeof(" + type_name(site.lvalue->getType().getUnqualifiedType());
  for (const clang::Expr* own : loop.written) {
    text += names("fits") + " &= atoll_upc_run_is_apart(" + pointer + ", " + needed + bytes +
            "), &(" + owned(own) + "), " + names("count") + " * sizeof(" +
            type_name(own->getType().getUnqualifiedType()) + "));\n";
  }
  return text;
}

// Whether a strip may be run as one, for each iteration of the inner loop.
std::string emitter::test_of_strip(const strip_loop& loop, const strip_names& names) {
  const std::string strip = names("strip");
  std::string text =
      "const ptrdiff_t " + names.place + " = " + strip + "; (void)" + names.place + ";\n";
  std::string late;
  for (std::size_t i = 0; i < loop.late_sites.size(); ++i) {
    const clang::Expr* base = loop.late_sites[i].lvalue->getBase();
    const std::string pointer = names.site("r", i);
    late += "const atoll_upc_pointer " + pointer + " = atoll_upc_add(" + value(base) + ", " +
            strip + ", " + arguments_of_step(base) + ");\n";
    text += test_of_site(loop, names, loop.late_sites[i], pointer);
  }
  text += head_of_strips(loop, names);
  for (std::size_t i = 0; i < loop.sites.size(); ++i)
    text += test_of_site(loop, names, loop.sites[i], names.site("q", i));
  return late + "{ " + text + "if (!" + names("fits") + ") break; } }\n";
}

// The statements behind the inner loop, element by element.
std::string emitter::rest_of_strip(const strip_loop& loop, const strip_names& names) {
  if (loop.rest.empty()) return "";
  const std::size_t outer = owned_.size();
  std::string begins, ends, out, back;
  for (std::size_t i = 0; i < loop.late_sites.size(); ++i) {
    const strip_site& site = loop.late_sites[i];
    const std::string elements = names.site("s", i), copied = names.site("d", i);
    const clang::QualType type = site.lvalue->getType().getUnqualifiedType();
    begins += "atoll_upc_run " + copied + "; const " + declare(type, "*" + elements) +
              " = atoll_upc_run_begin(&" + copied + ", " + names.site("r", i) + ", " +
              names("count") + " * sizeof(" + type_name(type) + "), 1, 0);\n";
    ends += " atoll_upc_run_end(&" + copied + ");";
    owned_.push_back({site.lvalue, elements + "[" + names("j") + "]"});
  }
  carry(loop, names, out, back);
  std::string text = begins + names.each() + out;
  for (const clang::Stmt* each : loop.rest)
    text += statement(each) + (needs_semicolon(each) ? ";" : "") + "\n";
  owned_.resize(outer);
  return text + "}\n" + ends;
}

// The private pointer of each site.
strip_parts emitter::parts_of_strip(const strip_loop& loop, const strip_names& names) {
  strip_parts parts;
  const std::string length = std::to_string(loop.length);
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    const strip_site& site = loop.sites[i];
    const std::string elements = names.site("p", i), pointer = names.site("q", i),
                      copied = names.site("c", i), x = names.site("x", i);
    const clang::QualType type = site.lvalue->getType().getUnqualifiedType();
    const std::string needed = site.is_exclusive_or ? length : names("count");
    parts.begins += "atoll_upc_run " + copied + "; const " + declare(type, "*" + elements) +
                    " = atoll_upc_run_begin_ahead(&" + copied + ", " + pointer + ", " + needed +
                    " * sizeof(" + type_name(type) + "), " +
                    arguments_of_step(site.lvalue->getBase()) + ", " +
                    left_of_site(loop, names, i) + ", 1, 0);\n";
    parts.ends += " atoll_upc_run_end(&" + copied + ");";
    parts.of_sites.push_back({"const " + declare(type, "*" + names.site("h", i)), elements,
                              site.is_exclusive_or ? x : ""});
    if (site.is_exclusive_or) parts.shuffles += " | " + x;
    parts.exclusive_ors += site.is_exclusive_or ? 1 : 0;
  }
  return parts;
}

// The body, with these texts for the elements of sites; '#' in them becomes the number of the site.
std::string emitter::body_of_strip(const strip_loop& loop, const std::string& exclusive,
                                   const std::string& sum) {
  const clang::Stmt* body = loop.inner->getBody();
  const std::size_t outer = owned_.size();
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    const strip_site& site = loop.sites[i];
    std::string place = site.is_exclusive_or ? exclusive : sum;
    for (std::size_t mark; (mark = place.find('#')) != std::string::npos;)
      place.replace(mark, 1, std::to_string(i));
    owned_.push_back({site.lvalue, place});
  }
  const std::string text = statement(body) + (needs_semicolon(body) ? ";" : "");
  owned_.resize(outer);
  return text;
}

// The inner loop over a whole strip, group by group. Where x flips only one of the lowest bits, it
// is a constant within small groups, so that the host's compiler can shuffle vectors; where x keeps
// the order in groups, each group is a loop.
std::string emitter::inner_of_strip(const strip_loop& loop, const strip_names& names) {
  const strip_parts parts = parts_of_strip(loop, names);
  std::string out, back;
  carry(loop, names, out, back);
  const std::string length = std::to_string(loop.length), low = std::to_string(loop.length - 1);
  const std::string suffix = "_" + names.number, j = names("j"), group = names("group"),
                    t = names("t"), bits = names("bits"), span = names("span");
  const auto groups_of = [&](const std::string& elements, const std::string& flipped,
                             const std::string& flipped_element) {
    const std::string element = "atoll_upc_h#" + suffix + "[" + t;
    return "for (ptrdiff_t " + group + " = 0; " + group + " < " + length + "; " + group +
           " += " + elements + ") {\n" + parts.heads(group, flipped) +
           "ATOLL_UPC_APART\nfor (ptrdiff_t " + t + " = 0; " + t + " < " + elements + "; ++" + t +
           ") { const ptrdiff_t " + j + " = " + group + " + " + t + ";\n" + names.element() + out +
           body_of_strip(loop, element + flipped_element + "]", element + "]") + "\n" + back +
           " } }\n";
  };
  const std::string is_full = " && " + names("count") + " == " + length + ") {\n";
  std::string text = head_of_strips(loop, names) + parts.begins + "const ptrdiff_t " + bits +
                     " = (" + parts.shuffles + ") & " + low + ";\n";
  for (const unsigned bit : {1U, 2U, 4U, 8U}) {
    if (parts.exclusive_ors > 1 || 2 * bit > loop.length) break;
    const std::string flip = std::to_string(bit);
    text += "if (" + bits + " == " + flip + is_full +
            groups_of(bit < 8 ? "8" : "16", "", " ^ " + flip) + "} else ";
  }
  text += "if ((" + bits + " & 7) == 0" + is_full + "const ptrdiff_t " + span + " = " + bits +
          " == 0 ? " + length + " : " + bits + " & -" + bits + ";\n" +
          groups_of(span, " & " + low, "") + "} else ";
  const std::string single =
      body_of_strip(loop,
                    "atoll_upc_p#" + suffix + "[(" + names("into") + " + " + j +
                        ") ^ (atoll_upc_x#" + suffix + " & " + low + ")]",
                    "atoll_upc_p#" + suffix + "[" + j + "]");
  return text + "{\n" + names.each() + out + single + "\n" + back + " } }\n" + parts.ends + " }\n";
}

// The iterations `low` to `stop`.
std::string emitter::in_strips(const strip_loop& loop, const std::string& place,
                               const std::string& low, const std::string& stop,
                               const std::string& set, const clang::Stmt* body) {
  const strip_names names{std::to_string(++names_), place, set};
  const std::string strip = names("strip"), count = names("count"),
                    length = std::to_string(loop.length);
  std::string text =
      "for (ptrdiff_t " + strip + " = " + low + "; " + strip + " < " + stop + ";) {\n";
  text += "const ptrdiff_t " + names("window") + " = " + strip + " & -(ptrdiff_t)" + length + ", " +
          names("into") + " = " + strip + " - " + names("window") + ", " + count + " = " + stop +
          " - " + strip + " < " + length + " - " + names("into") + " ? " + stop + " - " + strip +
          " : " + length + " - " + names("into") + ", " + names("left") + " = " + stop + " - " +
          names("window") + ";\nint " + names("fits") + " = 1;\n";
  text += test_of_strip(loop, names) + "if (" + names("fits") + ") {\n";
  std::string out, back, first;
  carry(loop, names, out, back);
  for (const clang::VarDecl* variable : loop.variables) {
    const std::string kept =
        names(("of_" + variable->getName().str()).c_str()) + "[" + length + "]";
    text += declare(variable->getType().getUnqualifiedType(), kept) + ";\n";
  }
  for (const clang::DeclStmt* each : loop.first) first += statement(each) + "\n";
  if (!first.empty()) text += names.each() + first + back + " }\n";
  text += inner_of_strip(loop, names);
  text += rest_of_strip(loop, names);
  text += "} else {\n" + names.each() + statement(body) + (needs_semicolon(body) ? ";" : "") +
          " }\n}\n";
  return text + strip + " += " + count + "; }";
}

}  // namespace atl::upc
