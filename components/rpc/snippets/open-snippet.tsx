'use client'

import { SquareTerminal } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type MouseEvent, useCallback, useMemo, useState } from 'react'
import { linkOf, RPC_PATH } from '@/components/rpc/link'
import { fullName } from '@/components/rpc/overview'
import { callsInCode } from '@/components/rpc/snippets/found'
import { t } from '@/lib/i18n/t'

/** A JSON-RPC call, or a batch, in a block of code. It cannot be selected, so that what is copied has only the code. */
export function OpenSnippet({ code }: { code: string }) {
  const { push } = useRouter()
  const [around, setAround] = useState('')
  // The words of the whole answer may name the network that the code leaves out.
  const look = useCallback((place: HTMLElement | null) => {
    if (place) setAround(place.closest('article')?.textContent ?? '')
  }, [])
  const found = useMemo(() => callsInCode(code, around), [code, around])
  const [call] = found?.calls ?? []
  if (!found || !call) return null
  const openBatch = async (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0
    if (!found.isBatch || !isPlain) return
    event.preventDefault()
    const { layOut } = await import('@/components/rpc/request-draft')
    layOut(found.network, found.calls, true)
    push(RPC_PATH)
  }
  return (
    <Link
      ref={look}
      href={linkOf({ network: found.network, ...call }).href}
      prefetch={false}
      onClick={(event) => void openBatch(event)}
      title={t('Open in RPC on {network}', { network: fullName(found.network) })}
      className="inline-flex min-h-9 items-center gap-1.5 rounded-control px-2 text-12 text-ink-3 no-underline select-none hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
    >
      <SquareTerminal aria-hidden="true" className="size-4" strokeWidth={1.5} />
      {t('Open in RPC')}
    </Link>
  )
}
