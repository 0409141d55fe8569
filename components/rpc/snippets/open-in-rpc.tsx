'use client'

import { SquareTerminal } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { DropdownMenu } from 'radix-ui'
import { type MouseEvent, useCallback, useMemo, useState } from 'react'
import { linkOf, RPC_PATH } from '@/components/rpc/link'
import { fullName } from '@/components/rpc/overview'
import { callsInCode, type Found, foundIn } from '@/components/rpc/snippets/found'
import { IconButton } from '@/components/ui/button'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { msg, t } from '@/lib/i18n/t'

const NAMES: Record<Found['kind'], string> = {
  address: msg('Address'),
  transaction: msg('Transaction'),
  block: msg('Block'),
}
const HEAD_CHARS = 8
const TAIL_CHARS = 6

/**
 * Offers the addresses and hashes of an answer as calls in the playground. Nothing runs before the person runs it
 * there.
 */
export function OpenFound({ text }: { text: string }) {
  const found = useMemo(() => foundIn(text), [text])
  if (found.length === 0) return null
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <IconButton label={t('Open in RPC')}>
          <SquareTerminal aria-hidden="true" />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={MENU}>
          <DropdownMenu.Label className="px-2 pt-1 pb-1.5 text-12 text-ink-3">{t('Open in RPC')}</DropdownMenu.Label>
          {found.map((each) => (
            <DropdownMenu.Item key={each.value} asChild className={`${MENU_ITEM} justify-between gap-6`}>
              <Link href={linkOf(each).href} prefetch={false}>
                <span>
                  {t(NAMES[each.kind])}{' '}
                  <span dir="ltr" className="font-mono text-13">
                    {shortened(each.value)}
                  </span>
                </span>
                <span className="text-12 text-ink-3">{fullName(each.network)}</span>
              </Link>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const shortened = (value: string): string => `${value.slice(0, HEAD_CHARS)}…${value.slice(-TAIL_CHARS)}`

/** Opens the JSON-RPC calls of a code block. It cannot be selected, so that a copy has only the code. */
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
    const { openRequest } = await import('@/components/rpc/request-draft')
    openRequest(found.network, found.calls, true)
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
