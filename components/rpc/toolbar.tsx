'use client'

import { ArrowLeft, Bookmark, Grid3x3, Layers, Link2, Signature } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import type { ComponentProps } from 'react'
import { type LinkLoss, linkOf, matrixHref } from '@/components/rpc/link'
import { TOOL } from '@/components/rpc/notices'
import { changeParams, type RequestDraft, showView } from '@/components/rpc/request-draft'
import type { NewSaved } from '@/components/rpc/store'
import type { CheckedCall } from '@/components/rpc/use-call'
import { IconButton } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import { showToast } from '@/components/ui/toast'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

const SnippetsMenu = dynamic(() => import('@/components/rpc/panels').then((module) => module.SnippetsMenu), {
  ssr: false,
  loading: () => <span className="skeleton h-7 w-22" />,
})

type ToolbarProps = { draft: RequestDraft; call: CheckedCall; isLocal: boolean }

export function Toolbar({ draft, call, isLocal }: ToolbarProps) {
  const { network, method, view } = draft
  const drafts = [{ method, params: call.params }]
  const canSign = method === 'eth_sendRawTransaction' && (network.isTestnet || isLocal)
  return (
    <div
      role="toolbar"
      aria-label={t('Tools')}
      className="flex flex-wrap items-center gap-x-0.5 border-b border-line px-2 pb-1.5 md:shrink-0"
    >
      {view === 'batch' ? (
        <Tool onClick={() => showView('call')}>
          <ArrowLeft aria-hidden="true" className="rtl:-scale-x-100" />
          {t('Single call')}
        </Tool>
      ) : (
        <Tool onClick={() => showView('batch')}>
          <Layers aria-hidden="true" />
          {t('+ Batch')}
        </Tool>
      )}
      {view === 'call' && (
        <>
          <Link
            href={matrixHref({ method, params: draft.params, pick: 'all' })}
            prefetch={false}
            className={TOOL}
            title={t('Run this call on multiple networks')}
          >
            <Grid3x3 aria-hidden="true" />
            {t('Matrix')}
          </Link>
          <SnippetsMenu network={network} calls={drafts} isBatch={false} />
          {canSign && <SignButton network={network} />}
          <span className="ms-auto flex items-center">
            <IconButton label={t('Copy link')} onClick={() => void copyLink(draft)}>
              <Link2 aria-hidden="true" />
            </IconButton>
            <SaveButton network={network.slug} calls={drafts} isBatch={false} />
          </span>
        </>
      )}
    </div>
  )
}

function Tool(props: ComponentProps<'button'>) {
  return <button type="button" className={TOOL} {...props} />
}

const LOSS: Record<LinkLoss, string> = {
  signed: msg('Link copied without the signed transaction: anyone with the link could send it.'),
  'too-long': msg('Link copied without the parameters, which are too long for a link.'),
}

async function copyLink(draft: RequestDraft): Promise<void> {
  const { href, loss } = linkOf(draft)
  try {
    await navigator.clipboard.writeText(window.location.origin + href)
    showToast({ text: loss ? t(LOSS[loss]) : t('Link copied') })
  } catch {
    showToast({ text: t('Your browser blocked copying. Copy the link from the address bar.') })
  }
}

const signSheet = createPart(() => import('@/components/rpc/sign/sign-sheet'))

function SignButton({ network }: { network: RpcNetwork }) {
  const { trigger, popover } = usePopover(signSheet)
  return (
    <>
      <Tool {...trigger}>
        <Signature aria-hidden="true" />
        {t('Sign and send')}
      </Tool>
      {popover?.props.isOpen && (
        <popover.part.SignSheet
          network={network}
          onSigned={(raw) => changeParams([raw])}
          onClose={popover.props.onClose}
        />
      )}
    </>
  )
}

const savePopover = createPart(() => import('@/components/rpc/save-popover'))

function SaveButton(call: Pick<NewSaved, 'network' | 'calls' | 'isBatch'>) {
  const { trigger, popover } = usePopover(savePopover)
  return (
    <>
      <IconButton {...trigger} label={t('Save request')}>
        <Bookmark aria-hidden="true" />
      </IconButton>
      {popover && <popover.part.SavePopover {...popover.props} {...call} />}
    </>
  )
}
