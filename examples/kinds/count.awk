# Counts the words of a text, and says so in whatever way it is asked to: `-v speaks=` one of
#
#   tool        cli: an object
#   model       model_cli: symphlo.model-inference.v1
#   evaluator   evaluator_cli: symphlo.evaluation.v1; at most `limit` words of the flow's input pass
#   text        agent_cli: a prompt on standard input, or as an argument, is answered with text
#   events      agent_cli with output_format opencode_jsonl: the same in events, one a line
#
# It stands in for models and agents; none takes part.

BEGIN {
    if (speaks == "text" || speaks == "events") {
        json_parse(context())
        answer = "The text has " words(json_text["/text"]) " words."
        if (speaks == "text")
            print answer
        else
            printf "{\"type\":\"step\"}\n{\"type\":\"text\",\"part\":{\"text\":%s}}\n", json_quote(answer)
        exit
    }
    json_read()
    if (speaks == "tool" && json_kind["/context/probe"] == "true")
        print "{\"words\":0}"
    else if (speaks == "tool")
        printf "{\"words\":%d}\n", words(json_text["/context/text"])
    else if (speaks == "model")
        printf "{\"contract_version\":\"symphlo.model-inference-result.v1\",\"output\":%s}\n", \
            json_quote("The text has " words(json_text["/context/text"]) " words.")
    else
        judge()
}

# The accepted context is the last line of a prompt.
function context(    line, last, part, count) {
    if (ARGC > 1) {
        count = split(ARGV[1], part, "\n")
        while (part[count] == "")
            count--
        return part[count]
    }
    while ((getline line) > 0)
        last = line
    return last
}

function words(text,    word) {
    if (text ~ /^[ \t\n]*$/)
        fail("there is no text")
    return split(text, word)
}

function judge(    count, limit) {
    count = words(json_text["/flow_input/text"])
    limit = json_text["/flow_input/limit"]
    printf "{\"contract_version\":\"symphlo.evaluation-result.v1\","
    if (count <= limit)
        printf "\"verdict\":\"pass\",\"summary\":\"%d of at most %d words\",\"findings\":[]}\n", count, limit
    else
        printf "\"verdict\":\"fail\",\"summary\":\"%d of at most %d words\"," \
            "\"findings\":[{\"code\":\"too-long\",\"message\":\"Leave out %d words.\"}]}\n", count, limit, count - limit
}
