# Action items in lines of text, for the two stand-ins of this example.
#
#   item_explicit(line)   "OWNER: WHAT (DUE)" of a line that says "Action: OWNER WHAT by DUE."
#   item_implied(line)    the same of a sentence "OWNER will WHAT by DUE."
#
# Both give "" when there is none.

function item_explicit(line) {
    if (!match(line, /Action: [A-Z][a-z]+ .* by [0-9][-0-9]+/))
        return ""
    return item_of(substr(line, RSTART + 8, RLENGTH - 8), " ")
}

function item_implied(line) {
    if (!match(line, /[A-Z][a-z]+ will [^.]* by [0-9][-0-9]+/))
        return ""
    return item_of(substr(line, RSTART, RLENGTH), " will ")
}

function item_of(words, between,    at, owner, due) {
    at = index(words, between)
    owner = substr(words, 1, at - 1)
    words = substr(words, at + length(between))
    match(words, / by [0-9][-0-9]+$/)
    due = substr(words, RSTART + 4)
    return owner ": " substr(words, 1, RSTART - 1) " (" due ")"
}
