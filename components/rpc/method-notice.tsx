'use client'

import { Ban, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { alternativeOf } from '@/lib/client/rpc-methods'
import { fullName } from '@/lib/client/rpc-overview'
import { listMethods } from '@/lib/rpc/catalogue/list-methods'
import type { Offer } from '@/lib/rpc/methods'
import type { RpcNetwork } from '@/lib/rpc/networks'

type MethodNoticeProps = { network: RpcNetwork; method: string; offer: Offer; onPick: (method: string) => void }

/** Why a method does not go with this network, and what does. */
export function MethodNotice({ network, method, offer, onPick }: MethodNoticeProps) {
  if (offer.isOffered) return <Foreign network={network} method={method} />
  const alternative = alternativeOf(method, network.family)
  const title =
    offer.refusal === 'unmapped' ? (
      <>
        No list has <span className="font-mono text-13">{method}</span>.
      </>
    ) : offer.refusal === 'family' ? (
      <>
        <span className="font-mono text-13">{method}</span> is not for {fullName(network)}.
      </>
    ) : (
      <>
        <span className="font-mono text-13">{method}</span> is not offered.
      </>
    )
  return (
    <Note icon={<Ban aria-hidden="true" className="mt-px size-[18px] shrink-0 text-danger" strokeWidth={1.5} />}>
      <p className="font-medium wrap-anywhere">{title}</p>
      <p className="text-ink-2">
        {offer.refusal === 'unmapped'
          ? 'The service passes on only methods that it knows, so it will refuse this one. That costs nothing.'
          : `${offer.hint[0]?.toUpperCase()}${offer.hint.slice(1)}.`}
      </p>
      {alternative && (
        <Button className="mt-2.5" onClick={() => onPick(alternative)}>
          <span>
            Use <span className="font-mono text-13">{alternative}</span>
          </span>
        </Button>
      )}
    </Note>
  )
}

function Foreign({ network, method }: Pick<MethodNoticeProps, 'network' | 'method'>) {
  const entry = listMethods(network).find((one) => one.method === method)
  if (!entry?.isForeign) return null
  return (
    <Note
      icon={<TriangleAlert aria-hidden="true" className="mt-px size-[18px] shrink-0 text-ink-2" strokeWidth={1.5} />}
    >
      <p className="text-ink-2">
        <span className="font-mono text-13 text-ink">{method}</span> belongs to other networks: the nodes of{' '}
        {fullName(network)} most likely answer that there is no such method.
      </p>
    </Note>
  )
}

type NoteProps = { icon: ReactNode; children: ReactNode }

/** Something to know before the call is run, in its own place. */
export function Note({ icon, children }: NoteProps) {
  return (
    <div className="flex gap-2 rounded-card border border-line bg-surface p-3 text-14">
      {icon}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
