# Files for the programs of the examples.
#
#   file_read(path)          the whole text; ends the program when there is none
#   file_list(folder, end)   the names of files below a folder with this ending, in order, into file_name[1..]; how many

function file_read(path,    line, text, got) {
    while ((got = (getline line < path)) > 0)
        text = text line "\n"
    if (got < 0)
        fail("cannot read " path)
    close(path)
    if (text == "")
        fail(path " is empty")
    if (length(text) > 200000)
        fail(path " is longer than this program reads")
    return text
}

function file_list(folder, end,    command, line, n) {
    n = 0
    command = "find " shell_quote(folder "/") " -type f -name " shell_quote("*" end) " | LC_ALL=C sort"
    while ((command | getline line) > 0) {
        gsub(/\/\/+/, "/", line)
        file_name[++n] = line
    }
    close(command)
    if (n == 0)
        fail("there is no file *" end " in " folder)
    return n
}

# One word of the shell, whatever the text holds.
function shell_quote(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}
