# Tool: puts the approved replies into the outbox, one .eml file each, under the name of the message that is answered.
# Done again it writes the same files. Sending them is the mail program's affair.

BEGIN {
    json_read()
    if (json_text["/context/approve/option"] != "send")
        fail("nobody said that the replies may be sent")
    plan = "/context/plan"
    outbox = json_text[plan "/outbox"]
    if (system("mkdir -p " shell_quote(outbox "/")) != 0)
        fail("there is no folder " outbox)
    signature = json_text["/context/approve/form/signature"]
    count = json_count[plan "/replies"]
    for (n = 1; n <= count; n++) {
        reply = plan "/replies/" n
        name = json_text[reply "/file"]
        sub(/^.*\//, "", name)
        file = outbox "/" name
        printf "To: %s\nSubject: Re: %s\n\n%s\n", header(json_text[reply "/to"]), header(json_text[reply "/subject"]), \
            json_text[reply "/body"] (signature == "" ? "" : "\n\n" signature) > file
        if (close(file) != 0)
            fail("cannot write " file)
        files = files (n > 1 ? "," : "") json_quote(file)
    }
    printf "{\"sent\":%d,\"files\":[%s]}\n", count, files
}

# One line: no text of a message becomes a header of its own.
function header(text) {
    gsub(/[\r\n]/, " ", text)
    return text
}
