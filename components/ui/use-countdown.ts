import { useEffect, useState } from 'react'

/** Often enough that no second is shown much longer than the others. */
const TICK_MS = 250

/** Whole seconds until a time; 0 when it has come. */
export function useCountdown(until: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  const leftSeconds = until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000))
  const isRunning = leftSeconds > 0
  useEffect(() => {
    if (until !== undefined) setNow(Date.now())
  }, [until])
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return leftSeconds
}
