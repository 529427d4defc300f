# JSON for the programs of the examples, in POSIX awk: `awk -f examples/lib/json.awk -f PROGRAM`.
#
# A value is read into tables by its path. The path of the whole is "", of a member PATH/NAME, of the Nth item PATH/N
# (from 1). Numbers are kept as they are written.
#
#   json_read()          reads standard input
#   json_kind[path]      "object", "array", "string", "number", "true", "false" or "null"; unset: there is none
#   json_text[path]      of a string its text, of a number its digits
#   json_count[path]     members or items
#   json_name[path, n]   name of the Nth member
#   json_write(path)     the value as JSON
#   json_quote(text)     a string as JSON

function json_read(    line, text) {
    while ((getline line) > 0)
        text = text line "\n"
    json_parse(text)
}

function json_parse(text) {
    json_rest = text
    json_value("")
    json_space()
    if (json_rest != "")
        fail("the input goes on after its JSON")
}

function json_value(path,    first, n, name) {
    json_space()
    first = substr(json_rest, 1, 1)
    n = 0
    if (first == "{") {
        json_kind[path] = "object"
        json_expect("{")
        if (!json_takes("}")) {
            do {
                json_space()
                name = json_string()
                json_name[path, ++n] = name
                json_space()
                json_expect(":")
                json_value(path "/" name)
            } while (json_takes(","))
            json_expect("}")
        }
        json_count[path] = n
    } else if (first == "[") {
        json_kind[path] = "array"
        json_expect("[")
        if (!json_takes("]")) {
            do
                json_value(path "/" ++n)
            while (json_takes(","))
            json_expect("]")
        }
        json_count[path] = n
    } else if (first == "\"") {
        json_kind[path] = "string"
        json_text[path] = json_string()
    } else if (match(json_rest, /^(true|false|null)/)) {
        json_kind[path] = json_word()
    } else if (match(json_rest, /^-?[0-9][-+.0-9eE]*/)) {
        json_kind[path] = "number"
        json_text[path] = json_word()
    } else
        fail("the input is not JSON")
}

function json_word(    word) {
    word = substr(json_rest, 1, RLENGTH)
    json_rest = substr(json_rest, RLENGTH + 1)
    return word
}

function json_string(    text, mark) {
    json_expect("\"")
    text = ""
    while (match(json_rest, /["\\]/)) {
        mark = substr(json_rest, RSTART, 1)
        text = text substr(json_rest, 1, RSTART - 1)
        json_rest = substr(json_rest, RSTART + 1)
        if (mark == "\"")
            return text
        text = text json_escape()
    }
    fail("the input ends inside of a string")
}

# What is given to these programs is canonical: only control characters are written as numbers.
function json_escape(    mark, at) {
    mark = substr(json_rest, 1, 1)
    json_rest = substr(json_rest, 2)
    if (mark == "u") {
        at = index("0123456789abcdef", tolower(substr(json_rest, 4, 1))) - 1
        at += 16 * (index("0123456789abcdef", tolower(substr(json_rest, 3, 1))) - 1)
        if (substr(json_rest, 1, 2) != "00" || at < 1 || at > 127)
            fail("the input has a character that this reader does not take as a number")
        json_rest = substr(json_rest, 5)
        return sprintf("%c", at)
    }
    at = index("ntrbf", mark)
    return at ? substr("\n\t\r\b\f", at, 1) : mark
}

function json_space() {
    if (match(json_rest, /^[ \t\r\n]+/))
        json_rest = substr(json_rest, RLENGTH + 1)
}

function json_takes(mark) {
    json_space()
    if (substr(json_rest, 1, 1) != mark)
        return 0
    json_rest = substr(json_rest, 2)
    return 1
}

function json_expect(mark) {
    if (!json_takes(mark))
        fail("the input is not JSON: a " mark " is missing")
}

function json_quote(text) {
    gsub(/["\\]/, "\\\\&", text)
    gsub(/\n/, "\\n", text)
    gsub(/\t/, "\\t", text)
    gsub(/\r/, "\\r", text)
    gsub(/[[:cntrl:]]/, " ", text)
    return "\"" text "\""
}

function json_write(path,    kind, out, n, name) {
    kind = json_kind[path]
    if (kind == "string")
        return json_quote(json_text[path])
    if (kind == "number")
        return json_text[path]
    if (kind == "object") {
        for (n = 1; n <= json_count[path]; n++) {
            name = json_name[path, n]
            out = out (n > 1 ? "," : "") json_quote(name) ":" json_write(path "/" name)
        }
        return "{" out "}"
    }
    if (kind == "array") {
        for (n = 1; n <= json_count[path]; n++)
            out = out (n > 1 ? "," : "") json_write(path "/" n)
        return "[" out "]"
    }
    return kind == "" ? "null" : kind
}

# Ends the program; what is said is for whoever tries it by hand. A flow's record says how much was said, not what.
function fail(why) {
    print why > "/dev/stderr"
    exit 1
}
