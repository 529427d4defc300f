# Stands in for a model: no model takes part. It makes a digest by a rule: the first sentence of each section. When its
# digest comes back, it keeps what it had and adds the sentences that hold what was found to be missing.

BEGIN {
    json_read()
    text = json_text["/context/text"]
    if (text == "")
        fail("the context holds no text")
    before = json_text["/context/repair/candidate/model_output"]
    findings = "/context/repair/evaluation/findings"
    for (n = 1; n <= json_count[findings]; n++) {
        message = json_text[findings "/" n "/message"]
        if (match(message, /"[^"]+"/))
            missing[++missed] = substr(message, RSTART + 1, RLENGTH - 2)
    }
    count = split(text, line, "\n")
    for (n = 1; n <= count; n++) {
        if (line[n] ~ /^# /)
            digest = digest line[n] "\n"
        else if (line[n] ~ /^## /) {
            section()
            heading = substr(line[n], 4)
        } else
            body = body (body == "" || line[n] == "" ? "" : " ") line[n]
    }
    section()
    printf "{\"contract_version\":\"symphlo.model-inference-result.v1\",\"output\":%s}\n", json_quote(digest)
}

# Writes what the digest says of the section that has been read.
function section(    n, m, count, sentence, keep, kept) {
    count = sentences(body, sentence)
    for (n = 1; n <= count; n++) {
        keep = n == 1 || index(before, sentence[n])
        for (m = 1; m <= missed; m++)
            if (index(sentence[n], missing[m]))
                keep = 1
        if (keep)
            kept = kept " " sentence[n]
    }
    if (heading != "" && kept != "")
        digest = digest "\n* **" heading ".**" kept
    body = ""
}

# A sentence ends with a full stop before a space.
function sentences(text, sentence,    n) {
    n = 0
    while (match(text, /[.!?] /)) {
        sentence[++n] = substr(text, 1, RSTART)
        text = substr(text, RSTART + 2)
    }
    if (text != "")
        sentence[++n] = text
    return n
}
