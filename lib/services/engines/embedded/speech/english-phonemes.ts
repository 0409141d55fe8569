/**
 * Turns English text into the phonemes that Kokoro was trained with: IPA, with one letter for each diphthong. For the
 * child process.
 */
import { createRequire } from 'node:module'

export type Accent = 'en-US' | 'en-GB'

// Its module build imports JSON in a way that Node refuses.
const { phonemize } = createRequire(import.meta.url)('phonemize') as {
  phonemize: (word: string, options: { language: Accent; affricates: 'ligature' }) => string
}

const MAX_WORD_LETTERS = 40

const UNSTRESSED = new Set(
  (
    'a an the of to in on at by for and or but is are was were be been am do does did has have had he she it we they ' +
    'you my your his her its our their this that as with from so than then if not can could will would shall should ' +
    'may might must'
  ).split(' '),
)

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
// The dictionary puts the stress before the syllable, the model's makers right before the vowel.
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

export function phonemesOf(text: string, accent: Accent): string {
  const words = spokenWords(isShouted(text) ? text.toLowerCase() : text)
  const tokens = words.match(/[A-Za-z]+(?:'[A-Za-z]+)*|[.,;:!?…—“”"()]|\s+|[–/-]/g) ?? []
  const spoken = tokens.map((token) => (/[A-Za-z]/.test(token) ? wordPhonemes(token, accent) : punctuation(token)))
  if (!spoken.some((phonemes) => VOWEL.test(phonemes) || /[AIOQWY]/.test(phonemes))) return ''
  return spoken
    .map((phonemes, index) => beforeVowel(tokens[index]!, phonemes, spoken, index))
    .join('')
    .replace(/ +/g, ' ')
    .trim()
}

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
  return [...SHARED, ...BY_ACCENT[accent]].reduce((phonemes, [pattern, to]) => phonemes.replace(pattern, to), written)
}

function beforeVowel(token: string, phonemes: string, spoken: string[], index: number): string {
  const next = spoken[index + 2]
  const isThe = token.toLowerCase() === 'the' && next !== undefined && spoken[index + 1]?.trim() === ''
  return isThe && /^[ˈˌ]?[aeiouæɑɒɔəɛɜɪʊʌAIOQWY]/u.test(next) ? 'ði' : phonemes
}

const MONEY: Record<string, [one: string, many: string, cents: string]> = {
  $: ['dollar', 'dollars', 'cents'],
  '€': ['euro', 'euros', 'cents'],
  '£': ['pound', 'pounds', 'pence'],
}

const UNITS: Record<string, string> = {
  km: 'kilometers',
  m: 'meters',
  cm: 'centimeters',
  mm: 'millimeters',
  kg: 'kilograms',
  g: 'grams',
  mg: 'milligrams',
  ms: 'milliseconds',
  s: 'seconds',
  min: 'minutes',
  h: 'hours',
  kHz: 'kilohertz',
  MHz: 'megahertz',
  GHz: 'gigahertz',
  KB: 'kilobytes',
  MB: 'megabytes',
  GB: 'gigabytes',
  TB: 'terabytes',
  '°': 'degrees',
  '°C': 'degrees Celsius',
  '°F': 'degrees Fahrenheit',
  '%': 'percent',
}

const SYMBOLS: Record<string, string> = { '&': ' and ', '+': ' plus ', '=': ' equals ', '@': ' at ', '×': ' times ' }

type Rule = [pattern: RegExp, words: (...groups: string[]) => string]

// Tried in order: the more a rule wants, the earlier. All are linear in the text.
const RULES: Rule[] = [
  [/\bhttps?:\/\/(?:www\.)?/g, () => ''],
  // Letters with marks are read without; English has few others.
  [/[‘’]/g, () => "'"],
  [/\b(Mr|Mrs|Ms|Dr|Prof|Rev|St|Mt|Jr|Sr|vs|etc|approx)\.(?=\s)/g, (_, title) => title!],
  [/(?<=\d),(?=\d{3}(?!\d))/g, () => ''],
  [/([$€£])(\d+)(?:\.(\d\d))?(?!\d)/g, (_, sign, whole, cents) => money(sign!, whole!, cents)],
  [/\b(\d{1,2}):(\d\d)\b/g, (_, hours, minutes) => time(hours!, minutes!)],
  [/\b(\d+)\.(\d+)/g, (_, whole, fraction) => decimal(whole!, fraction!)],
  [/\b(\d+)(?:st|nd|rd|th)\b/g, (_, digits) => ordinal(digits!)],
  [/\b(1[1-9]\d\d|20\d\d)s\b/g, (_, digits) => `${year(digits!)}s`.replace(/ys$/, 'ies')],
  [/(?<![\d.])(1[1-9]\d\d|20\d\d)\b(?!\s*(?:%|°|[a-zA-Z]{1,2}\b))/g, (_, digits) => year(digits!)],
  [/(?<![\p{L}\p{N})])[-−](?=\d)/gu, () => 'minus '],
  [/(\d)\s*[-–]\s*(?=\d)/g, (_, digit) => `${digit} to `],
  [
    /(\d)\s*(%|°[CF]?|[kMGT]?(?:Hz|B)\b|[kcm]?m\b|[km]?g\b|ms\b|min\b|[sh]\b)/g,
    (all, digit, unit) => (UNITS[unit!] ? `${digit} ${UNITS[unit!]} ` : all!),
  ],
  [/(\d)\s*([ap])\.?m\b\.?/gi, (_, digit, half) => `${digit} ${half!.toUpperCase()} M `],
  [/#(?=\d)/g, () => 'number '],
  [/\d+/g, (digits) => ` ${cardinal(digits!)} `],
  [/[&+=@×]/g, (symbol) => SYMBOLS[symbol!]!],
  [/(\p{Ll})(?=\p{Lu}\p{L})/gu, (_, letter) => `${letter} `],
]

export function spokenWords(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '')
  const spoken = RULES.reduce((phonemes, [pattern, words]) => phonemes.replace(pattern, words), plain)
  return spoken.replace(/\s+/g, ' ').trim()
}

function money(sign: string, whole: string, cents?: string): string {
  const [one, many, parts] = MONEY[sign]!
  const amount = `${cardinal(whole)} ${whole === '1' ? one : many}`
  return cents === undefined || cents === '00' ? amount : `${amount} and ${cardinal(String(Number(cents)))} ${parts}`
}

function time(hours: string, minutes: string): string {
  const hour = cardinal(String(Number(hours)))
  if (minutes === '00') return `${hour} o'clock`
  return `${hour} ${minutes.startsWith('0') ? 'oh ' : ''}${cardinal(String(Number(minutes)))}`
}

const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ')
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion']
const MAX_DIGITS = 15

const IRREGULAR: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

function cardinal(digits: string): string {
  if (digits.length > MAX_DIGITS || /^0\d/.test(digits)) return digitByDigit(digits)
  const groups = digits.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? []
  const words = groups.flatMap((group, index) => {
    const value = Number(group)
    return value === 0 ? [] : [`${belowThousand(value)} ${SCALES[groups.length - 1 - index]}`.trim()]
  })
  return words.length === 0 ? 'zero' : words.join(' ')
}

function ordinal(digits: string): string {
  const words = cardinal(digits)
  const last = words.match(/[a-z]+$/)![0]
  const place = IRREGULAR[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return words.slice(0, -last.length) + place
}

function decimal(whole: string, fraction: string): string {
  return `${cardinal(whole)} point ${digitByDigit(fraction)}`
}

function year(digits: string): string {
  const century = digits.slice(0, 2)
  const rest = digits.slice(2)
  if (rest === '00') return century.endsWith('0') ? cardinal(digits) : `${cardinal(century)} hundred`
  if (digits.startsWith('200')) return cardinal(digits)
  return `${cardinal(century)} ${rest.startsWith('0') ? `oh ${cardinal(rest.slice(1))}` : cardinal(rest)}`
}

const digitByDigit = (digits: string): string => Array.from(digits, (digit) => SMALL[Number(digit)]).join(' ')

function belowThousand(value: number): string {
  if (value < 20) return SMALL[value]!
  if (value < 100) return [TENS[Math.floor(value / 10)], value % 10 ? SMALL[value % 10] : ''].join(' ').trim()
  const rest = value % 100
  return `${SMALL[Math.floor(value / 100)]} hundred ${rest ? belowThousand(rest) : ''}`.trim()
}
