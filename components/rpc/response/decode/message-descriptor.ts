/**
 * What is said to people of a reply, as plain data: a thread of its own knows no language, the page words it. `text` is
 * an English sentence that is filed by the name of `msg`; a number of things is said by what is counted.
 */
export type MessageDescriptor =
  | { text: string; values?: Record<string, string | number> }
  | { counted: Counted; count: number }

export type Counted = 'bytes' | 'contract-bytes' | 'entries' | 'transactions'

/** Text that is shown as it is, or something that is said in the language of the page. */
export type Words = string | MessageDescriptor

/** A sentence to be said. As in lib/i18n, translators find it by the name of this function. */
export const msg = (text: string, values?: Record<string, string | number>): MessageDescriptor => ({
  text,
  ...(values && { values }),
})
