// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "detect/patterns.h"

namespace detect {
namespace {

constexpr double kHigh = 0.90;
constexpr double kChoice = 0.75;
constexpr double kText = 0.70;

// A question ends where its line ends: what stands in the middle of a line is told, not asked.
constexpr auto kTable = std::to_array<PatternRow>({
    {"yes/no in brackets", Type::yes_no, kHigh,
     R"((?i)[\[(<]\s*\[?y(?:es)?\]?\s*[/|,]\s*\[?no?\]?(?:\s*[/|,]\s*\[?[\w?!/]+\]?)*\s*[\])>]\s*)"
     R"((?:[\[(](?:default\s*[:=]?\s*)?\w+[\])])?[\s?:>.]*$)",
     "Do you want to continue? [Y/n] ", "  -y (y/n)  answer every question"},
    {"yes/no before other keys", Type::yes_no, kHigh,
     R"((?i)[\[(]y(?:es)?,\s*no?,[^\])]{1,80}[\])][\s?:>.]*$)",
     "Save file notes.txt? (y, n, !, ., q, C-r, d or C-h) ", "the keys (y, n, q) are known"},
    {"yes and no among options", Type::yes_no, kHigh,
     R"((?i)[\[(]y(?:es)?(?:[/|,]\w{1,20})+[/|,]no?(?:[/|,][\w?!]{1,20})*[\])]\s*)"
     R"((?:[\[(](?:default\s*[:=]?\s*)?\w+[\])])?[\s?:>.]*$)",
     "*** demo.conf (Y/I/N/O/D/Z) [default=N] ? ", "Your name (y/x/z) is known"},
    {"yes and no by their letters", Type::yes_no, kHigh,
     R"((?i)[\[(]y[\])]es\b.*[\[(]n[\])]o\b[^?]{0,80}[:?>]\s*$)",
     "replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", "press [y]es or [n]o"},
    {"yes/no together", Type::yes_no, kHigh, R"((?i)(?:^|\s)[\[(]yn[\])][\s?:>.]*$)", "Uninstall it? [Yn] ",
     "x = flags[yn]"},
    {"yes/no bare", Type::yes_no, kHigh, R"((?i)(?:^|[^\w/])(?:y/n|yes/no)[\s?:>]*$)",
     "Overwrite existing file? y/N: ", "see docs/yes/no.md"},
    {"yes or no", Type::yes_no, kHigh, R"((?i)(?:\by or n|\byes or no|\byes, no)\b[\s?:>.)\]'"]*$)",
     "Please answer yes or no: ", "It says yes or no depending on the weather today"},
    {"press y", Type::yes_no, kHigh,
     R"((?i)\b(?:press|type|hit|enter)\s+['"\[<(]?y(?:es)?['"\]>)]?(?:\s+(?:to|for|or|in)\b|\s*[?:>]\s*$))",
     "Press y to accept the licence", "Press yellow to go on"},
    {"choice with yes and no", Type::yes_no, kHigh,
     R"((?i)^\W*[●◉]\s*(?:yes|no)\s*/\s*[○◯]\s*(?:yes|no)\s*$)", "│  ● Yes / ○ No", "● Yes, that was it"},
    {"a thing to agree to", Type::yes_no, kChoice,
     R"((?i)(?:^|[.:!>?]\s+|^\W+)(?:do you (?:want|wish|really|agree|trust|accept)|are you sure|would you like|shall (?:i|we))"
     R"(|should (?:i|we)|is (?:this|that|the information) (?:ok|okay|correct|right)|overwrite|replace|proceed|continue)"
     R"(|delete|remove|accept|retry|try again|save (?:changes|modified)|ok to|really)\b[^?]*\?\s*(?:\([^)]*\)|\[[^\]/|,]*\])?[\s>]*$)",
     "Overwrite? ", "What happens if they do not overwrite it?"},

    {"press Enter", Type::confirm_enter, kHigh,
     R"((?i)\b(?:press|hit|push|tap|type|use)\s+(?:the\s+)?['"\[<(]?(?:enter|return|⏎|↵)['"\]>)]?(?:\s+key)?)"
     R"((?:\s+(?:to|when|for|or|and|once|if)\b.*|[\s.:!)\]…]*)$)",
     "Press Enter to continue", "The user pressed Enter to continue reading"},
    {"Enter in brackets", Type::confirm_enter, kHigh,
     R"((?i)[\[(<]\s*(?:press\s+|hit\s+)?(?:enter|return|enter to continue)\s*[\])>][\s.:…]*$)",
     "[Press Enter]", "the [enter] key is worn"},
    {"Enter goes on", Type::confirm_enter, kHigh,
     R"((?i)^\W*(?:enter|return|⏎|↵)\s+to\s+(?:continue|confirm|proceed|accept|start|close|exit|dismiss)\b.*$)",
     "Enter to continue", "we enter to continue the race"},
    {"any key", Type::confirm_enter, kHigh, R"((?i)\b(?:press|hit|strike)\s+any\s+key\b.*$)",
     "Press any key to continue . . .", "do not press anything", Trait::any_key},

    {"choice by number", Type::multiple_choice, kChoice,
     R"((?i)\b(?:choice|choose|selection|select|option|number|pick|answer)\b[^?:]*[\[(]\s*\d+\s*(?:-|–|\.\.\.?|to|,)\s*\d+)"
     R"([^\])]*[\])][\s?:>]*$)",
     "Enter choice [1-3]: ", "Select a number of items from [1-3] of the list"},
    {"select with default", Type::multiple_choice, kChoice,
     R"((?i)\b(?:select|choose|choice|selection|option)\b[^?:]*[\[(]\s*\d+\s*[\])][\s?:>]*$)",
     "Select [1]: ", "selected [1] item of 7"},
    {"shell's select", Type::multiple_choice, kChoice, R"(^#\?\s*$)", "#? ", "#? what is this"},
    {"your choice", Type::multiple_choice, kChoice,
     R"((?i)^\W*(?:(?:please\s+)?(?:enter|type|make|what is|select|choose)\s+)?(?:your\s+|a\s+|an\s+|the\s+)?)"
     R"((?:choice|selection|option|number)(?:\s+\w+){0,4}\s*[?:>]\s*$)",
     "Your choice: ", "the choice: to be made"},
    {"which", Type::multiple_choice, kText,
     R"((?i)^\W*(?:which|what now|what would you like|what do you want|how would you like|choose|select|pick)\b.*[?:>]\s*$)",
     "Which one do you want? ", "He asked which one do you want"},

    {"password", Type::free_text, kText,
     R"((?i)(?:password|passphrase|passcode|pass phrase|\bpin\b|\botp\b|one[- ]time code|verification code|2fa code)"
     R"(|secret(?: key)?|api[ -]?key|(?:access|auth)?[ -]?token)\b[^:?]*[:?]\s*$)",
     "[sudo] password for ada: ", "password: correct horse battery staple", Trait::secret},
    {"enter something", Type::free_text, kText,
     R"((?i)(?:^|\W)(?:please\s+)?(?:enter|type|input|provide|specify|give)\s.*[^.!\s]\s*[:?>]\s*$)",
     "Enter your name: ", R"(Type ".help" for more information. >)"},
    {"a field", Type::free_text, kText,
     R"((?i)^\W*(?:(?:your|the|new|old|current|full|first|last|package|project|repository|file|branch|author|e-?mail|test|)"
     R"(git|entry|user|host|server|database|output|common|organi[sz]ation(?:al)?|country|state|locality)\s+)*)"
     R"((?:user ?name|username|login|e-?mail(?: address)?|name|address|path|url|port|host ?name|version|description|author|)"
     R"(keywords|license|command|repository|point|message|title|answer|value|amount|date|phone|city|company)\b)"
     R"((?:\s*[\[(][^\])]*[\])])*\s*:\s*(?:[\[(][^\])]*[\])]\s*)?$)",
     "Username: ", "name: build-and-test"},
    {"length limit", Type::free_text, kText,
     R"((?i)\(\s*(?:max(?:imum)?|up to|at most)\.?\s*(?:of\s+)?\d+\s*(?:char|letter|symbol)[^)]*\)\s*[:?>]\s*$)",
     "Enter name (max 20 chars): ", "A name (max 20 chars) was given"},

    {"more", Type::pager, kHigh, R"(^-{2,}\s?More\s?-{2,}(?:\s*\(.*\))?\s*(?:\[.*\])?$)", "--More--(12%)",
     "-- More -- or less, we think"},
    {"end of a pager", Type::pager, kHigh, R"(^(?:\(END\)|.*\s\(END\)|:)$)", "(END)", "THE END"},
    {"pager's position", Type::pager, kHigh,
     R"(^(?:\s?Manual page .* line \d+.*|lines \d+-\d+.*|.* \d+-\d+/\d+ .*|HELP -- Press RETURN.*)$)",
     " Manual page less(1) line 1 (press h for help or q to quit)", "lines are drawn 1-24"},
});

}  // namespace

std::span<const PatternRow> pattern_table() { return kTable; }

}  // namespace detect
