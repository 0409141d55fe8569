'use client'

import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import { HistorySkeleton } from '@/components/history/skeleton'
import { useNarrow } from '@/components/ui/use-narrow'
import { atFirstSign } from '@/lib/client/presence'

const HistoryPanel = dynamic(() => import('@/components/history/panel').then((module) => module.HistoryPanel), {
  ssr: false,
  loading: () => <HistoryLoading />,
})

/** A page that nobody touches counts what is unread after this. */
const LATEST_MS = 10_000

type HistoryPlaceProps = {
  /** Called when something was chosen, where the sidebar lies over the page. */
  onDone?: () => void
}

/**
 * Where the chats of this device are listed. In a narrow window the sidebar beside the page is not seen: its list, and the
 * database behind it, are fetched when somebody is there.
 */
export function HistoryPlace({ onDone }: HistoryPlaceProps) {
  const isWanted = useWanted(onDone !== undefined)
  return isWanted ? <HistoryPanel {...(onDone && { onDone })} /> : <HistoryLoading />
}

/** Not before the page is taken over, as it was written without the list. */
function useWanted(isAsked: boolean): boolean {
  const isNarrow = useNarrow()
  const [isWanted, setIsWanted] = useState(isAsked)
  useEffect(() => {
    if (isWanted) return
    if (!isNarrow) return setIsWanted(true)
    return atFirstSign(() => setIsWanted(true), LATEST_MS)
  }, [isWanted, isNarrow])
  return isWanted
}

/** The field and the list, while their code is fetched. */
function HistoryLoading() {
  return (
    <div aria-hidden="true" className="min-h-0 flex-1 overflow-hidden px-2">
      <div className="skeleton mt-1 h-9" />
      <HistorySkeleton />
    </div>
  )
}
