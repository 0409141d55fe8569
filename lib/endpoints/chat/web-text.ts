/**
 * Control characters other than tab and line feed, and everything invisible: zero-width, bidi, tag and filler
 * characters. Emoji styles stay.
 */
const UNSEEN = /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}

const TAG_NAMES = [
  'think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|system|sys|inst|user|human|assistant|developer',
  'tools?|tool_?(?:calls?|responses?|results?|outputs?)|functions?|function_?(?:calls?|results?)|invoke|parameter',
  's|bos|eos|pad|unk|mask|sep|cls|eot_id|eom_id|(?:start|end)_(?:of_\\w{1,16}|header_id)|im_(?:start|end|sep)',
  'begin_of_text|end_of_text|endoftext|extra_id_\\d{1,4}',
].join('|')
const TAG = new RegExp(String.raw`<(?=\s?/?\s?(?:\w{1,16}:)?(?:${TAG_NAMES})(?:[\s>=/|]|$))`, 'giu')
const BARS = /<(?=\s?[|｜])/g
const REFERENCE = /\[(?=\s?\/?\s?ref(?![a-z]))/gi
const BRACKET =
  /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]{1,12}|ARGS|CALL_ID|THINK|IMG|AUDIO|DONE|SEP|CLS|MASK|UNK|PAD)\])/g
const HEADED_TURN = /^ ?#[# ]*(?=(?:system|user|human|assistant|instructions?|response|input|output)\b)/gim
const TURN = /^( ?(?:\*\*)?(?:system|user|human|assistant|developer)(?:\*\*)?) ?:/gim
const FENCE = /^ ?--[- ]*(?=source|end)/gim

/**
 * Makes outside text safe for a prompt: nothing invisible, and nothing that a chat template or a reader of thoughts,
 * calls or citations would take for its own mark.
 */
export function harmless(text: string): string {
  return visible(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n\s*\n/g, '\n\n')
    .replace(HEADED_TURN, '')
    .replace(TURN, '$1 -')
    .replace(FENCE, '')
    .replace(BARS, '‹')
    .replace(TAG, '‹')
    .replace(REFERENCE, '(')
    .replace(BRACKET, '(')
}
