'use client'

import { ChevronDown, Copy, SquareArrowOutUpRight } from 'lucide-react'
import Link from 'next/link'
import { linkOf } from '@/components/rpc/link'
import { resultOf } from '@/components/rpc/matrix/values'
import type { MatrixCall } from '@/components/rpc/matrix-request'
import { fullName } from '@/components/rpc/overview'
import { IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import type { MatrixLine } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

/** What is shown here of a large answer; the playground shows all of it. */
const MAX_DETAIL_CHARS = 20_000

type RowActionsProps = {
  network: RpcNetwork
  line: MatrixLine
  call: MatrixCall
  isOpen: boolean
  onToggle: () => void
}

/** What can be done with one network's answer. */
export function RowActions({ network, line, call, isOpen, onToggle }: RowActionsProps) {
  const name = fullName(network)
  const { href } = linkOf({ network, method: call.method, params: call.params })
  return (
    <div className="flex justify-end">
      <IconButton
        label={t('Full response from {network}', { network: name })}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <ChevronDown aria-hidden="true" className={isOpen ? 'rotate-180' : ''} />
      </IconButton>
      <IconButton label={t('Copy response from {network}', { network: name })} onClick={() => void copy(line)}>
        <Copy aria-hidden="true" />
      </IconButton>
      <Link
        href={href}
        prefetch={false}
        aria-label={t('Open {network} in the playground', { network: name })}
        title={t('Open in the playground')}
        className="inline-flex size-9 items-center justify-center rounded-control text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <SquareArrowOutUpRight aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
      </Link>
    </div>
  )
}

/** The answer as the node gave it, spread over lines. */
export function RowDetails({ line }: { line: MatrixLine }) {
  const text = JSON.stringify(line.reply ?? line.error ?? null, null, 2)
  const isCut = text.length > MAX_DETAIL_CHARS
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="thin-scroll max-h-80 overflow-auto rounded-control bg-sunken p-3 font-mono text-12"
      >
        {isCut ? text.slice(0, MAX_DETAIL_CHARS) : text}
      </pre>
      {isCut && (
        <p className="mt-2 text-13 text-ink-3">
          {t('First {shown} of {count} characters. Open the playground to see all of them.', {
            shown: MAX_DETAIL_CHARS,
            count: text.length,
          })}
        </p>
      )}
    </>
  )
}

/** Printed when it is asked for: an answer may be megabytes. */
async function copy(line: MatrixLine): Promise<void> {
  const value = line.outcome === 'result' ? resultOf(line) : (line.reply ?? line.error)
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
  showToast({ text: isCopied ? t('Copied.') : t('Your browser blocked copying.') })
}
