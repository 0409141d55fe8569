import type { Attachment } from '@/lib/browser/storage/records'

/** What a person sends: words, files, or both. */
export type Outgoing = { text: string; attachments: Attachment[] }

/** The draft of the chat that has no id yet. */
export const NEW_CHAT = 'new'

/** The files of a turn that go to a model: what an imported answer shows is nothing that an answer may carry. */
export const filesSent = ({ role, attachments = [] }: { role: string; attachments?: Attachment[] }): Attachment[] =>
  role === 'user' ? attachments : []
