# Puts the viewer of the flame graph page into one HTML text, and that into C.
#
#   cmake -DVIEWER=DIR [-DOUTPUT=FILE.c] [-DHTML=FILE.html] -P viewer.cmake
#
# DIR is collectors/flamegraph/viewer. OUTPUT gets the page as bytes, in two arrays: what comes before the data and what
# comes after. HTML gets the same page with @DATA@ where the data goes, for tests.
#
# The modules become one script: their imports of each other go, and the word `export`. So imports are on one line and
# don't rename, and a name at the top of a module is nowhere else at the top.

cmake_minimum_required(VERSION 3.20)

# A module comes after those that it imports.
set(modules
    data.js names.js numbers.js tree.js filters.js search.js views.js layout.js colours.js state.js
    dom.js facts.js theme.js controls.js timeline.js canvas.js table.js columns.js details.js keyboard.js svg.js main.js)

# The text is never a list and never unquoted: it is full of what CMake takes for its own.

function(bundle_modules result)
    set(script "")
    foreach(module IN LISTS modules)
        file(READ "${VIEWER}/${module}" text)
        set(text "\n${text}")
        string(REGEX REPLACE "\nimport [^\n]* from '\\./[a-z]+\\.js';" "\n" text "${text}")
        string(REGEX REPLACE "\nexport " "\n" text "${text}")
        if(text MATCHES "\n(import|export)[^\n]*")
            message(FATAL_ERROR "${module}: can't bundle this line:${CMAKE_MATCH_0}")
        endif()
        string(APPEND script "\n// --- ${module} ---\n${text}")
    endforeach()
    string(REGEX REPLACE "\n\n\n+" "\n\n" script "${script}")
    string(TOLOWER "${script}" lower)
    if(lower MATCHES "</script|<!--")
        message(FATAL_ERROR "the script has ${CMAKE_MATCH_0} in it, which would end it in HTML")
    endif()
    set(${result} "${script}" PARENT_SCOPE)
endfunction()

# The base64 of the SHA-256 of a text, as a Content-Security-Policy names what may run.
function(hash_of text result)
    set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    string(SHA256 hex "${text}")
    # 32 bytes are ten times three and two more; two zeros fill up 66 digits.
    string(APPEND hex "00")
    set(base64 "")
    foreach(place RANGE 0 60 6)
        string(SUBSTRING "${hex}" ${place} 6 three)
        foreach(shift 18 12 6 0)
            math(EXPR digit "(0x${three} >> ${shift}) & 63")
            string(SUBSTRING "${alphabet}" ${digit} 1 letter)
            string(APPEND base64 "${letter}")
        endforeach()
    endforeach()
    string(SUBSTRING "${base64}" 0 43 base64)
    set(${result} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

function(assemble_page result)
    file(READ "${VIEWER}/page.html" page)
    file(READ "${VIEWER}/page.css" style)
    bundle_modules(script)
    set(style "\n${style}")
    set(script "\n${script}")
    hash_of("${style}" style_hash)
    hash_of("${script}" script_hash)
    string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
    string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
    string(REPLACE "@STYLE@" "${style}" page "${page}")
    string(REPLACE "@SCRIPT@" "${script}" page "${page}")
    set(${result} "${page}" PARENT_SCOPE)
endfunction()

# array_of NAME TEXT RESULT: the definition of an array with the bytes of the text, and of its size.
function(array_of name text result)
    string(HEX "${text}" hex)
    string(REPEAT "." 48 line)
    string(REGEX REPLACE "(${line})" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    set(${result}
        "const unsigned char ${name}[] = {\n${bytes}\n};\nconst size_t ${name}_size = sizeof(${name});\n"
        PARENT_SCOPE)
endfunction()

assemble_page(page)
if(DEFINED HTML)
    file(WRITE "${HTML}" "${page}")
endif()
if(DEFINED OUTPUT)
    set(placeholder "@DATA@")
    string(FIND "${page}" "${placeholder}" head_size)
    string(LENGTH "${placeholder}" placeholder_size)
    math(EXPR tail_start "${head_size} + ${placeholder_size}")
    string(SUBSTRING "${page}" 0 ${head_size} head)
    string(SUBSTRING "${page}" ${tail_start} -1 tail)
    array_of(flamegraph_page_head "${head}" head_array)
    array_of(flamegraph_page_tail "${tail}" tail_array)
    file(WRITE "${OUTPUT}"
        "/* Made from collectors/flamegraph/viewer by cmake/viewer.cmake. */\n\n"
        "#include \"collectors/flamegraph/page.h\"\n\n${head_array}\n${tail_array}")
endif()
