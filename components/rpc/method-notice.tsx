'use client'

import { Ban, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { alternativeOf } from '@/components/rpc/method-names'
import { listMethods } from '@/components/rpc/methods/list-methods'
import { fullName } from '@/components/rpc/overview'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import type { Offer } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type MethodNoticeProps = { network: RpcNetwork; method: string; offer: Offer; onPick: (method: string) => void }

/** Why a method does not go with this network, and what does. */
export function MethodNotice({ network, method, offer, onPick }: MethodNoticeProps) {
  if (offer.isOffered) return <Foreign network={network} method={method} />
  const alternative = alternativeOf(method, network.family)
  const name = <MethodName name={method} />
  const title =
    offer.refusal === 'unmapped' ? (
      <Sentence text="Unknown method <method/>." parts={{ method: () => name }} />
    ) : offer.refusal === 'family' ? (
      <Sentence
        text="<method/> isn’t available on {network}."
        parts={{ method: () => name }}
        values={{ network: fullName(network) }}
      />
    ) : (
      <Sentence text="<method/> isn’t supported." parts={{ method: () => name }} />
    )
  return (
    <Note icon={<Ban aria-hidden="true" className="mt-px size-[18px] shrink-0 text-danger" strokeWidth={1.5} />}>
      <p className="font-medium wrap-anywhere">{title}</p>
      {offer.refusal === 'unmapped' ? (
        <p className="text-ink-2">
          {t('Only known methods are forwarded, so this call will be rejected. Rejected calls are free.')}
        </p>
      ) : (
        <p
          lang="en"
          dir="ltr"
          className="text-ink-2 rtl:text-end"
        >{`${offer.hint[0]?.toUpperCase()}${offer.hint.slice(1)}.`}</p>
      )}
      {alternative && (
        <Button className="mt-2.5" onClick={() => onPick(alternative)}>
          <span>
            <Sentence text="Use <method/>" parts={{ method: () => <MethodName name={alternative} /> }} />
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
        <Sentence
          text="<method/> is meant for other networks. Nodes on {network} will probably report that the method doesn’t exist."
          parts={{ method: () => <MethodName name={method} className="text-ink" /> }}
          values={{ network: fullName(network) }}
        />
      </p>
    </Note>
  )
}

function MethodName({ name, className = '' }: { name: string; className?: string }) {
  return (
    <span dir="ltr" className={`font-mono text-13 ${className}`}>
      {name}
    </span>
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
