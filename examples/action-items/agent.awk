# Stands in for an agent: no model takes part. It takes a prompt on standard input and answers with text, in the two
# roles of the flow, and in each it reads the original documents itself.
#
# As the extractor it lists what is written down as an action. As the reviewer it reads again, strikes items that the
# cited line does not hold, and adds those that are only implied.

BEGIN {
    while ((getline line) > 0) {
        if (sub(/^Task: /, "", line))
            task = line
        last = line
    }
    json_parse(last)
    if (task ~ /^You are the extractor/)
        extract()
    else if (task ~ /^You are the reviewer/)
        review()
    else
        fail("the task is for neither of my roles")
}

function extract(    n, m, count, line, item) {
    print "# Action items\n"
    for (n = 1; n <= json_count["/documents"]; n++) {
        path = json_text["/documents/" n "/path"]
        count = split(file_read(path), line, "\n")
        for (m = 1; m <= count; m++)
            if ((item = item_explicit(line[m])) != "")
                print "* " item " [" path ":" m "]"
    }
}

function review(    n, m, count, line, item, path, draft) {
    count = split(json_text["/extract/agent_output"], draft, "\n")
    for (n = 1; n <= count; n++)
        if (match(draft[n], /\[[^]]+:[0-9]+\]$/)) {
            claimed[substr(draft[n], RSTART + 1, RLENGTH - 2)] = substr(draft[n], 3, RSTART - 4)
            struck++
        }
    print "# Action items\n"
    for (n = 1; n <= json_count["/documents/documents"]; n++) {
        path = json_text["/documents/documents/" n "/path"]
        count = split(file_read(path), line, "\n")
        for (m = 1; m <= count; m++) {
            item = item_explicit(line[m])
            if (item == "")
                item = item_implied(line[m])
            place = path ":" m
            if (item == "")
                continue
            if (place in claimed && claimed[place] == item)
                struck--
            else
                added++
            if (item in said) {
                again++
                continue
            }
            said[item] = 1
            print "* " item " [" place "]"
        }
    }
    print "\nReviewed against the originals: " added + 0 " added, " struck + 0 " struck, " again + 0 " said twice."
}
