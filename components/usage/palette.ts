/** Eight looks that stay apart in light and in dark, each at 3:1 and more against the page; the ninth is all the rest. */
export const LOOKS = [
  'text-[light-dark(#006e64,#50cfbd)]',
  'text-[light-dark(#3b5bb5,#8fb0ff)]',
  'text-[light-dark(#a0366e,#f28fc0)]',
  'text-[light-dark(#4f7a1c,#a8d66b)]',
  'text-[light-dark(#6b4aa8,#c0a3f5)]',
  'text-[light-dark(#b1452b,#ff9d80)]',
  'text-[light-dark(#1f7a99,#7cd3ee)]',
  'text-[light-dark(#7d6a1a,#d8c56a)]',
] as const

export const REST_LOOK = 'text-[light-dark(#75787f,#93979e)]'

export const lookOf = (index: number): string => LOOKS[index] ?? REST_LOOK
