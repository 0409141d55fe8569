import { Lexer, type Token } from 'marked'
import { isSampleLanguage, type SampleLanguage } from '@/lib/contract/docs'

export type GuideProgram = { language: SampleLanguage; code: string }

export const programsIn = (markdown: string): GuideProgram[] => new Lexer().lex(markdown).flatMap(programOf)

const programOf = (token: Token): GuideProgram[] =>
  token.type === 'code' && isSampleLanguage(token.lang) ? [{ language: token.lang, code: token.text }] : []
