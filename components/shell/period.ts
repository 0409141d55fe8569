const DAY_MS = 86_400_000

/** The heading that a time stands under, seen from `now`; both in Unix milliseconds, days by the device's clock. */
export function periodOf(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (time >= today) return 'Today'
  if (time >= today - DAY_MS) return 'Yesterday'
  if (time >= today - 7 * DAY_MS) return 'Last 7 days'
  if (time >= today - 30 * DAY_MS) return 'Last 30 days'
  return new Date(time).toLocaleDateString('en', { month: 'long', year: 'numeric' })
}
