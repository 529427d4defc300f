# Tool: joins the messages with what was made of each: urgent ones first, and a reply for those that want one.

BEGIN {
    json_read()
    count = json_count["/context/read/messages"]
    if (count != json_count["/context/classify/items"])
        fail("not every message has been looked at")
    for (n = 1; n <= count; n++) {
        m = split(json_text["/context/classify/items/" n "/model_output"], line, "\n")
        for (; m > 0; m--)
            if (match(line[m], /^(class|reason|reply): */))
                part[n, substr(line[m], 1, index(line[m], ":") - 1)] = substr(line[m], RLENGTH + 1)
        if (part[n, "class"] !~ /^(urgent|money|normal|none)$/)
            fail("message " n " has no class that is known")
    }
    split("urgent money normal none", class, " ")
    report = "# Mail\n"
    for (c = 1; c <= 4; c++) {
        said = 0
        for (n = 1; n <= count; n++) {
            if (part[n, "class"] != class[c])
                continue
            if (!said++)
                report = report "\n## " class[c] "\n\n"
            tell(n, "/context/read/messages/" n)
        }
    }
    printf "{\"outbox\":%s,\"replies\":[%s],\"article_markdown\":%s}\n", \
        json_write("/context/read/outbox"), replies, json_quote(report)
}

function tell(n, message,    reply) {
    report = report "* **" json_text[message "/subject"] "** from " json_text[message "/from"] ": " part[n, "reason"] ".\n"
    reply = part[n, "reply"]
    if (reply == "")
        return
    gsub(/\\n/, "\n", reply)
    report = report "\n  > " quoted(reply) "\n"
    replies = replies (replies == "" ? "" : ",") "{\"file\":" json_write(message "/file") \
        ",\"to\":" json_write(message "/from") ",\"subject\":" json_write(message "/subject") \
        ",\"body\":" json_quote(reply) "}"
}

function quoted(text) {
    gsub(/\n/, "\n  > ", text)
    gsub(/> \n/, ">\n", text)
    return text
}
