import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'

export const MAX_AUDIO_MS = MAX_AUDIO_SECONDS * 1_000
export const MAX_VIDEO_MS = MAX_VIDEO_SECONDS * 1_000
/** The longest audio that fits into one file as WAV of one channel, 16 bits, 16 kHz. */
export const MAX_WAV_SECONDS = Math.floor(MAX_FILE_BYTES / 32_000) - 1
/** A request is 35 MB; base64 makes four characters of three bytes, and the text needs room too. */
export const MAX_REQUEST_BYTES = 26_000_000

export const MAX_DRAFT_FILES = 20

export const ACCEPTED =
  'image/*,audio/*,video/mp4,video/mpeg,video/quicktime,video/webm,application/pdf,application/epub+zip,text/*,' +
  '.docx,.pptx,.xlsx,.xls,.odt,.rtf,.epub,.md,.csv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.py,.rb,.rs,.go,.java,.kt,.swift,' +
  '.c,.h,.cpp,.cs,.js,.ts,.tsx,.jsx,.sh,.php,.lua,.r,.html,.css,.tex'

export class FileRefused extends Error {
  override name = 'FileRefused'
}
