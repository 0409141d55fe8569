/** Controls but tab and line feed, and all that shows nothing: zero-width, bidi, tag and filler characters. Emoji styles stay. */
const UNSEEN = /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Text from outside with nothing in it that cannot be seen. Lines and words stay. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}

/** Names of the tags by which some model marks its turns, thoughts or calls. */
const TAG_NAMES = [
  'think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|system|sys|inst|user|human|assistant|developer',
  'tools?|tool_?(?:calls?|responses?|results?|outputs?)|functions?|function_?(?:calls?|results?)|invoke|parameter',
  's|bos|eos|pad|unk|mask|sep|cls|eot_id|eom_id|(?:start|end)_(?:of_\\w{1,16}|header_id)|im_(?:start|end|sep)',
  'begin_of_text|end_of_text|endoftext|extra_id_\\d{1,4}',
].join('|')
const TAG = new RegExp(String.raw`<(?=\s?/?\s?(?:\w{1,16}:)?(?:${TAG_NAMES})(?:[\s>=/|]|$))`, 'giu')
/** `<|…|>`, also with the wide bars that one family of models uses. */
const BARS = /<(?=\s?[|｜])/g
/** Marks of citations, however they are spelled. */
const REFERENCE = /\[(?=\s?\/?\s?ref(?![a-z]))/gi
/** Marks in square brackets of which templates are made; written in capitals there, and closed. */
const BRACKET =
  /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]{1,12}|ARGS|CALL_ID|THINK|IMG|AUDIO|DONE|SEP|CLS|MASK|UNK|PAD)\])/g
/** Lines that begin as a turn of a conversation does: `### Instruction:`, `Assistant:`. */
const HEADED_TURN = /^ ?#[# ]*(?=(?:system|user|human|assistant|instructions?|response|input|output)\b)/gim
const TURN = /^( ?(?:\*\*)?(?:system|user|human|assistant|developer)(?:\*\*)?) ?:/gim
/** Lines that look like the fences which `webPrompt` puts around a source. */
const FENCE = /^ ?--[- ]*(?=source|end)/gim

/**
 * Text from outside as it may stand in a prompt: nothing unseen, and nothing that a chat template, a reader of thoughts
 * or calls, or the reader of citations would take for its own mark. The words stay as they are.
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
