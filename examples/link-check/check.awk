# Tool: looks at one Markdown file, the item that it is called for. Every relative link in it should lead to a file or a
# folder; links to the web, to a place in the same page, and what stands in code are left alone.

BEGIN {
    json_read()
    file = json_text["/context/item"]
    count = split(file_read(file), line, "\n")
    folder = file
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = "."
    for (n = 1; n <= count; n++) {
        if (line[n] ~ /^[ ]*```/)
            in_code = !in_code
        else if (!in_code)
            look(line[n], n)
    }
    printf "{\"file\":%s,\"links\":%d,\"broken\":[%s]}\n", json_quote(file), links, broken
}

function look(text, number,    target) {
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^) ]+\)/)) {
        target = substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
        sub(/#.*/, "", target)
        if (target == "" || target ~ /^[a-z]+:/)
            continue
        links++
        if (system("test -e " shell_quote(target ~ /^\// ? target : folder "/" target)) != 0)
            broken = broken (broken == "" ? "" : ",") "{\"line\":" number ",\"target\":" json_quote(target) "}"
    }
}
