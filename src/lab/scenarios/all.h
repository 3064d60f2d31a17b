// SPDX-License-Identifier: Apache-2.0
// One function per scenario; the table that names and numbers them is in scenario.cc.
#pragma once
#include "lab/trial.h"

namespace lab {

// screen.cc: what the screen settles
void partial_line_prompt(Trial& trial);
void ansi_redraw(Trial& trial);
void overwritten_prompt(Trial& trial);
void progress_bar(Trial& trial);

// kernel.cc: what the kernel settles
void silent_block(Trial& trial);
void output_flood(Trial& trial);

// episodes.cc: which question is whose
void nested_prompts(Trial& trial);
void echo_loop(Trial& trial);

// variants.cc: what questions look like
void multiple_choice(Trial& trial);
void yes_no_variants(Trial& trial);
void press_enter(Trial& trial);
void free_text_constraint(Trial& trial);

}  // namespace lab
