import { Lexer, type Token } from 'marked'
import { isSampleLanguage, type SampleLanguage } from '@/lib/contract/reference'

/** A program of a guide, in the order of the text. */
export type GuideProgram = { language: SampleLanguage; code: string }

/** The fences of a guide that are programs: a reader could copy and run each. */
export const programsIn = (markdown: string): GuideProgram[] => new Lexer().lex(markdown).flatMap(programOf)

const programOf = (token: Token): GuideProgram[] =>
  token.type === 'code' && isSampleLanguage(token.lang) ? [{ language: token.lang, code: token.text }] : []
