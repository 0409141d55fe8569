const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ')
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion']
/** Longer ones are read digit by digit, as people read telephone and card numbers. */
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

/** A whole number, given as digits, in English words. */
export function cardinal(digits: string): string {
  if (digits.length > MAX_DIGITS || /^0\d/.test(digits)) return digitByDigit(digits)
  const groups = digits.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? []
  const words = groups.flatMap((group, index) => {
    const value = Number(group)
    return value === 0 ? [] : [`${belowThousand(value)} ${SCALES[groups.length - 1 - index]}`.trim()]
  })
  return words.length === 0 ? 'zero' : words.join(' ')
}

/** The place in a row: 21 → twenty-first. */
export function ordinal(digits: string): string {
  const words = cardinal(digits)
  const last = words.match(/[a-z]+$/)![0]
  const place = IRREGULAR[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return words.slice(0, -last.length) + place
}

export function decimal(whole: string, fraction: string): string {
  return `${cardinal(whole)} point ${digitByDigit(fraction)}`
}

/** A year is said in two halves: nineteen ninety-nine, twenty oh five; but two thousand and its first years are not. */
export function year(digits: string): string {
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
