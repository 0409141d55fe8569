import type { Attachment } from '@/lib/client/history/records'

/** What a person sends: words, files, or both. */
export type Outgoing = { text: string; attachments: Attachment[] }
