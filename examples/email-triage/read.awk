# Tool: reads the messages of a folder, one .eml file each: plain text, with the headers that are needed.

BEGIN {
    json_read()
    inbox = json_text["/context/inbox"]
    outbox = json_text["/context/outbox"]
    if (inbox == "" || outbox == "")
        fail("the input names no inbox or no outbox")
    count = file_list(inbox, ".eml")
    for (n = 1; n <= count; n++)
        messages = messages (n > 1 ? "," : "") message(file_name[n])
    printf "{\"outbox\":%s,\"messages\":[%s]}\n", json_quote(outbox), messages
}

function message(file,    count, line, n, name, header, body) {
    count = split(file_read(file), line, "\n")
    for (n = 1; n <= count && line[n] !~ /^\r?$/; n++)
        if (match(line[n], /^[A-Za-z-]+: */)) {
            name = tolower(line[n])
            sub(/:.*/, "", name)
            header[name] = substr(line[n], RLENGTH + 1)
            sub(/\r$/, "", header[name])
        }
    for (n++; n <= count; n++)
        body = body line[n] (n < count ? "\n" : "")
    if (header["from"] == "")
        fail(file " has no sender")
    return "{\"file\":" json_quote(file) ",\"from\":" json_quote(header["from"]) \
        ",\"subject\":" json_quote(header["subject"]) ",\"date\":" json_quote(header["date"]) \
        ",\"body\":" json_quote(body) "}"
}
