import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'

/** What the service reads, so that nothing it would refuse is sent. Source: docs/chat.md and the service's own bounds. */

export const MAX_AUDIO_MS = MAX_AUDIO_SECONDS * 1_000
export const MAX_VIDEO_MS = MAX_VIDEO_SECONDS * 1_000
/** The longest sound that fits into one file as WAV of one channel, 16 bits, 16 kHz. */
export const MAX_WAV_SECONDS = Math.floor(MAX_FILE_BYTES / 32_000) - 1
/** A request is 35 MB; base64 makes four characters of three bytes, and words need room too. */
export const MAX_REQUEST_BYTES = 26_000_000

/** A paste that is longer becomes a file. Characters. */
export const LONG_PASTE_CHARS = 4_000

/** Files that may wait in one draft; more are left out. */
export const MAX_DRAFT_FILES = 20

/** What the chooser of the system offers; the content decides all the same. */
export const ACCEPTED =
  'image/*,audio/*,video/mp4,video/mpeg,video/quicktime,video/webm,application/pdf,application/epub+zip,text/*,' +
  '.docx,.pptx,.xlsx,.xls,.odt,.rtf,.epub,.md,.csv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.py,.rb,.rs,.go,.java,.kt,.swift,' +
  '.c,.h,.cpp,.cs,.js,.ts,.tsx,.jsx,.sh,.php,.lua,.r,.html,.css,.tex'

/** A file that is not taken; the message says why, to the person who chose it. */
export class FileRefused extends Error {
  override name = 'FileRefused'
}
