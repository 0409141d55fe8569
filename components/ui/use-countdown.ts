import { useEffect, useState } from 'react'

const TICK_MS = 250

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
