/** Languages in which a program is shown side by side with others, by the mark of their fences. */
export const SAMPLE_LANGUAGES = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES

/** A whole program that sends a request. */
export type Sample = { language: SampleLanguage; code: string }

export const isSampleLanguage = (mark: string | undefined): mark is SampleLanguage =>
  mark !== undefined && Object.hasOwn(SAMPLE_LANGUAGES, mark)
