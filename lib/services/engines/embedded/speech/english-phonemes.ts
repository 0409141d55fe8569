/** English text → the phonemes that Kokoro was made with: IPA, with one letter for each diphthong. For the child process. */
import { createRequire } from 'node:module'
import { spokenWords } from './spoken-words.ts'

export type Accent = 'en-US' | 'en-GB'

// Its module build imports JSON in a way that Node refuses.
const { phonemize } = createRequire(import.meta.url)('phonemize') as {
  phonemize: (word: string, options: { language: Accent; affricates: 'ligature' }) => string
}

/** A word that is longer is no word; the dictionary's rules take time for it. */
const MAX_WORD_LETTERS = 40

/** These carry no stress in a sentence. */
const UNSTRESSED = new Set(
  (
    'a an the of to in on at by for and or but is are was were be been am do does did has have had he she it we they ' +
    'you my your his her its our their this that as with from so than then if not can could will would shall should ' +
    'may might must'
  ).split(' '),
)

/** What the dictionary gets wrong, and what is said otherwise in a sentence than alone. */
const PRONUNCIATIONS: Record<string, string> = {
  a: 'ə',
  and: 'ænd',
  to: 'tʊ',
  i: 'ˈaɪ',
  lived: 'ˈlɪvd',
  live: 'ˈlɪv',
  lives: 'ˈlɪvz',
  dollars: 'ˈdɑlɝz',
  nineteen: 'ˌnaɪnˈtin',
  thirty: 'ˈθɝti',
  "don't": 'ˈdoʊnt',
  "won't": 'ˈwoʊnt',
  "can't": 'ˈkænt',
  "isn't": 'ˈɪzənt',
  "aren't": 'ˈɑɹnt',
  "wasn't": 'ˈwʌzənt',
  "weren't": 'ˈwɝnt',
  "doesn't": 'ˈdʌzənt',
  "didn't": 'ˈdɪdənt',
  "hasn't": 'ˈhæzənt',
  "haven't": 'ˈhævənt',
  "hadn't": 'ˈhædənt',
  "couldn't": 'ˈkʊdənt',
  "shouldn't": 'ˈʃʊdənt',
  "wouldn't": 'ˈwʊdənt',
  "could've": 'ˈkʊdəv',
  "should've": 'ˈʃʊdəv',
  "would've": 'ˈwʊdəv',
  "you're": 'jʊɹ',
  "we're": 'wɪɹ',
  "o'clock": 'əˈklɑk',
}

const VOWELS = 'aeiouæɑɒɔəɛɜɝɚɪʊʌ'
const VOWEL = new RegExp(`[${VOWELS}]`, 'u')
/** The dictionary puts the stress before the syllable, the model's makers right before the vowel. */
const STRESSED_SYLLABLE = new RegExp(`([ˈˌ])([^${VOWELS}ˈˌ]*)(?=[${VOWELS}])`, 'gu')

const SHARED: [RegExp, string][] = [
  [/ɫ/g, 'l'],
  [/g/g, 'ɡ'],
  [STRESSED_SYLLABLE, '$2$1'],
  [/eɪ/g, 'A'],
  [/aɪ/g, 'I'],
  [/aʊ/g, 'W'],
  [/ɔɪ/g, 'Y'],
]

const BY_ACCENT: Record<Accent, [RegExp, string][]> = {
  'en-US': [
    [/oʊ/g, 'O'],
    [/(?<=[ˈˌ])[ɝɚ]/g, 'ɜɹ'],
    [/[ɝɚ]/g, 'əɹ'],
    [/ː/g, ''],
    // Between vowels, before one that is not stressed, the tongue only taps.
    [/(?<=[aeiouæɑɔəɛɜɪʊʌAIOWYɹ])t(?=[əi])/g, 'ɾ'],
  ],
  'en-GB': [
    [/oʊ|əʊ/g, 'Q'],
    [/(?<=[ˈˌ])[ɝɚ]/g, 'ɜː'],
    [/[ɝɚ]/g, 'ə'],
    [/ɑ(?!ː)/g, 'ɒ'],
    [/æ/g, 'a'],
    [/ɔ(?!ː)/g, 'ɔː'],
    [/(?<=[ˈˌ])i(?!ː)/g, 'iː'],
    [/u(?!ː)/g, 'uː'],
  ],
}

/** The phonemes of a text, with its punctuation: the model breathes by it. Empty when there is nothing to say. */
export function phonemesOf(text: string, accent: Accent): string {
  const words = spokenWords(isShouted(text) ? text.toLowerCase() : text)
  const tokens = words.match(/[A-Za-z]+(?:'[A-Za-z]+)*|[.,;:!?…—“”"()]|\s+|[–/-]/g) ?? []
  const said = tokens.map((token) => (/[A-Za-z]/.test(token) ? wordPhonemes(token, accent) : punctuation(token)))
  if (!said.some((phonemes) => VOWEL.test(phonemes) || /[AIOQWY]/.test(phonemes))) return ''
  return said
    .map((phonemes, index) => beforeVowel(tokens[index]!, phonemes, said, index))
    .join('')
    .replace(/ +/g, ' ')
    .trim()
}

/** Capitals mean that letters are spelled, unless everything is in capitals. */
const isShouted = (text: string): boolean => !/\p{Ll}/u.test(text) && (text.match(/\p{Lu}{2,}/gu) ?? []).length > 1

const punctuation = (token: string): string => (token === '–' ? '—' : token === '-' || token === '/' ? ' ' : token)

function wordPhonemes(word: string, accent: Accent): string {
  const lower = word.toLowerCase()
  const plural = /^([A-Z]{2,5})s$/.exec(word)
  if (plural) return `${wordPhonemes(plural[1]!, accent)}z`
  const raw =
    PRONUNCIATIONS[lower] ??
    phonemize(word.slice(0, MAX_WORD_LETTERS), { language: accent, affricates: 'ligature' }).replaceAll(' ', '')
  const written = UNSTRESSED.has(lower) ? raw.replace(/[ˈˌ]/g, '') : raw
  return [...SHARED, ...BY_ACCENT[accent]].reduce((said, [pattern, to]) => said.replace(pattern, to), written)
}

/** "The" before a vowel. */
function beforeVowel(token: string, phonemes: string, said: string[], index: number): string {
  const next = said[index + 2]
  const isThe = token.toLowerCase() === 'the' && next !== undefined && said[index + 1]?.trim() === ''
  return isThe && /^[ˈˌ]?[aeiouæɑɒɔəɛɜɪʊʌAIOQWY]/u.test(next) ? 'ði' : phonemes
}
