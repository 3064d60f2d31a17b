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

// menus.cc: lists with a pointer, and what is taken of them
void pointer_menu(Trial& trial);

// channel_answers.cc: answers from people elsewhere
void slack_message_format(Trial& trial);
void unknown_prompt(Trial& trial);
void slack_thread_reply(Trial& trial);
void slack_multi_user(Trial& trial);
void duplicate_tap(Trial& trial);
void two_sessions(Trial& trial);
void free_text_for_two(Trial& trial);

// channel_times.cc: too late, and not there
void reply_after_expiry(Trial& trial);
void slack_rate_limit(Trial& trial);
void daemon_killed(Trial& trial);
void child_killed(Trial& trial);
void channel_down(Trial& trial);

}  // namespace lab
