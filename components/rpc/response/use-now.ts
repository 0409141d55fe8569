import { useEffect, useState } from 'react'

/** The time, anew every `everyMs`; in Unix milliseconds. Stands still while `everyMs` is undefined. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (everyMs === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
