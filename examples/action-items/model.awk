# Stands in for a model: no model takes part. It answers the two questions of the flow from its context alone.

BEGIN {
    json_read()
    instruction = json_text["/instruction"]
    if (instruction ~ /^List/)
        list()
    else if (instruction ~ /^Order/)
        order()
    else
        fail("the instruction is none that this program knows")
    printf "{\"contract_version\":\"symphlo.model-inference-result.v1\",\"output\":%s}\n", json_quote(output)
}

function list(    n, m, count, line, item, document) {
    for (n = 1; n <= json_count["/context/documents"]; n++) {
        document = "/context/documents/" n
        count = split(json_text[document "/text"], line, "\n")
        for (m = 1; m <= count; m++) {
            item = item_explicit(line[m])
            if (item == "")
                item = item_implied(line[m])
            if (item != "")
                output = output "* " item " [" json_text[document "/path"] ":" m "]\n"
        }
    }
    if (output == "")
        output = "none"
}

# By the day that each is due; one that was said twice is named once, with both places.
function order(    count, line, n, m, item, place, due, key) {
    count = split(json_text["/context/model_output"], line, "\n")
    for (n = 1; n <= count; n++) {
        if (!match(line[n], / \[[^]]+\]$/))
            continue
        item = substr(line[n], 1, RSTART - 1)
        place = substr(line[n], RSTART + 2, RLENGTH - 3)
        if (item in places) {
            places[item] = places[item] ", " place
            continue
        }
        places[item] = place
        match(item, /\([-0-9]+\)$/)
        due[item] = substr(item, RSTART + 1, RLENGTH - 2)
        for (m = total++; m > 0 && due[key[m]] > due[item]; m--)
            key[m + 1] = key[m]
        key[m + 1] = item
    }
    output = "# Action items\n\n"
    for (n = 1; n <= total; n++)
        output = output key[n] " [" places[key[n]] "]\n"
    if (!total)
        output = output "None.\n"
}
