export const TEMPORARY_PREFIX = 'temporary-'

/** Whether a chat is one that is never written down: it is in the memory of one page. */
export const isTemporary = (conversationId: string): boolean => conversationId.startsWith(TEMPORARY_PREFIX)
