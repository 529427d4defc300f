# Evaluator: reads the document again and holds the digest against it. Every figure of the document has to be in the
# digest, no other figure may be, and the digest has to be shorter than three quarters of the document.

BEGIN {
    json_read()
    text = file_read(json_text["/flow_input/document"])
    digest = json_text["/candidate/model_output"]
    if (digest == "")
        fail("the candidate holds no digest")
    found = 0
    compare(text, digest, "missing", "The digest leaves out")
    compare(digest, text, "invented", "The document does not say")
    if (length(digest) * 4 > length(text) * 3 && found < 16)
        finding("long", "The digest has " length(digest) " bytes of the document's " length(text) ".")
    verdict = found ? "fail" : "pass"
    summary = found ? found " things are wrong with the digest" : "the digest is short and has every figure"
    if (found == 1)
        summary = "one thing is wrong with the digest"
    printf "{\"contract_version\":\"symphlo.evaluation-result.v1\",\"verdict\":\"%s\",", verdict
    printf "\"summary\":%s,\"findings\":[%s]}\n", json_quote(summary), findings
}

function finding(code, message) {
    findings = findings (found++ ? "," : "") "{\"code\":\"" code "." found "\",\"message\":" json_quote(message) "}"
}

# Figures are words with a digit in them: dates, amounts, counts. Those of one text that are not in the other are found.
function compare(text, other, code, words,    n, count, figure, known) {
    count = figures(other, figure)
    for (n = 1; n <= count; n++)
        known[figure[n]] = 1
    count = figures(text, figure)
    for (n = 1; n <= count && found < 16; n++)
        if (!(figure[n] in known)) {
            known[figure[n]] = 1
            finding(code, words " \"" figure[n] "\".")
        }
}

function figures(text, figure,    n) {
    n = 0
    while (match(text, /[0-9][-0-9.,:]*[0-9]|[0-9]/)) {
        figure[++n] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    return n
}
