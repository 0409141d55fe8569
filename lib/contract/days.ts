export const DAY_MS = 86_400_000

/** Whole UTC days, both included, as YYYY-MM-DD. */
export type Days = { first: string; last: string }

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const dayAfter = (day: string): string => dayOf(Date.parse(day) + DAY_MS)

export const lastDays = (count: number, nowMs = Date.now()): Days => ({
  first: dayOf(nowMs - (count - 1) * DAY_MS),
  last: dayOf(nowMs),
})

export function listDays({ first, last }: Days): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) days.push(dayOf(at))
  return days
}
