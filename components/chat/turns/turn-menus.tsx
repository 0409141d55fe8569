'use client'

import { useQuery } from '@tanstack/react-query'
import {
  ClipboardCopy,
  CodeXml,
  Copy,
  Ellipsis,
  GitFork,
  Link2,
  type LucideIcon,
  MessageCircleQuestionMark,
  Trash2,
  Volume2,
} from 'lucide-react'
import dynamic from 'next/dynamic'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { useNext } from '@/components/chat/next/next-store'
import { answerAsText } from '@/components/chat/turns/answer-text'
import { requestReadAloud } from '@/components/chat/voice/read-aloud-store'
import { speechModelQuery } from '@/components/chat/voice/voice-models'
import { Slot } from '@/components/common/slots'
import { announce } from '@/components/ui/announcer'
import { IconButton } from '@/components/ui/button'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { showToast } from '@/components/ui/toast'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { isDemoModel } from '@/lib/browser/queries'
import { isTemporary } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

const RequestSheet = dynamic(
  () => import('@/components/chat/turns/request-sheet').then((module) => module.RequestSheet),
  { ssr: false },
)

type TurnMenuProps = { turn: Turn; actions: TurnActions; isBusy: boolean; isLast?: boolean; label: string }

export function TurnMenu({ turn, actions, isBusy, isLast = false, label }: TurnMenuProps) {
  const [isOpen, setIsOpen] = useState(true)
  const [sheet, setSheet] = useState<'request' | 'share'>()
  const isAnswer = turn.role === 'assistant'
  const hasNext = useNext(turn.id) !== undefined
  const closeSheet = () => setSheet(undefined)
  const voiceModel = useQuery({ ...speechModelQuery(), enabled: isAnswer })
  return (
    <>
      <DropdownMenu.Root open={isOpen} onOpenChange={setIsOpen} modal={false}>
        <DropdownMenu.Trigger asChild>
          <IconButton label={label}>
            <Ellipsis aria-hidden="true" />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={MENU}>
            {isAnswer ? (
              <Group icon={Copy} label={t('Copy')}>
                <CopyItem label={t('Markdown')} text={() => answerAsText(turn.text, turn.citations, 'markdown')} />
                <CopyItem label={t('Plain text')} text={() => answerAsText(turn.text, turn.citations, 'plain')} />
                {turn.citations && turn.citations.length > 0 && (
                  <CopyItem label={t('With sources')} text={() => answerAsText(turn.text, turn.citations, 'sources')} />
                )}
              </Group>
            ) : (
              <CopyItem label={t('Copy')} text={() => turn.text} />
            )}
            <Group icon={GitFork} label={t('Fork into a new chat')}>
              <Item label={t('This branch')} onSelect={() => actions.fork(turn, 'path')} />
              <Item label={t('This branch with alternatives')} onSelect={() => actions.fork(turn, 'versions')} />
              <Item label={t('Entire chat')} onSelect={() => actions.fork(turn, 'everything')} />
            </Group>
            {isAnswer && voiceModel.data && (
              <Item
                icon={Volume2}
                label={t('Read aloud')}
                onSelect={() => requestReadAloud({ turnId: turn.id, text: turn.text })}
              />
            )}
            {isAnswer && isLast && !isDemoModel(turn.modelId ?? '') && (
              <Item
                icon={MessageCircleQuestionMark}
                label={t('Suggest follow-ups')}
                isOff={isBusy || hasNext}
                onSelect={() => void suggest(turn, actions.chatId)}
              />
            )}
            <Item icon={CodeXml} label={t('View API request')} onSelect={() => setSheet('request')} />
            {!isTemporary(actions.chatId) && (
              <Item icon={Link2} label={t('Share up to here')} onSelect={() => setSheet('share')} />
            )}
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <Item icon={Trash2} label={t('Delete')} isDanger isOff={isBusy} onSelect={() => actions.remove(turn)} />
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {sheet === 'request' && <RequestSheet chatId={actions.chatId} turn={turn} onClose={closeSheet} />}
      {sheet === 'share' && (
        <Slot part="ShareSheet" conversationId={actions.chatId} leafId={turn.id} onClose={closeSheet} />
      )}
    </>
  )
}

async function suggest(turn: Turn, chatId: string): Promise<void> {
  try {
    const { suggestNow } = await import('@/components/chat/next/ask-next')
    await suggestNow(chatId, turn)
  } catch {
    showToast({ text: t('You’re offline.') })
  }
}

type ItemProps = { icon?: LucideIcon; label: string; isDanger?: boolean; isOff?: boolean; onSelect: () => void }

function Item({ icon: Icon, label, isDanger = false, isOff = false, onSelect }: ItemProps) {
  return (
    <DropdownMenu.Item className={`${MENU_ITEM} ${isDanger ? 'text-danger' : ''}`} disabled={isOff} onSelect={onSelect}>
      {Icon ? (
        <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      ) : (
        <span aria-hidden="true" className="size-4 shrink-0" />
      )}
      {label}
    </DropdownMenu.Item>
  )
}

function CopyItem({ label, text }: { label: string; text: () => string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      announce(t('Copied'))
      showToast({ text: t('Copied') })
    } catch {
      showToast({ text: t('Could not copy. Try again.') })
    }
  }
  return <Item label={label} icon={ClipboardCopy} onSelect={() => void copy()} />
}

function Group({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: ReactNode }) {
  return (
    <DropdownMenu.Group className="border-b border-line pb-1 mb-1">
      <DropdownMenu.Label className="flex items-center gap-2 px-2 pt-1.5 pb-0.5 text-12 text-ink-3">
        <Icon aria-hidden="true" className="size-3.5" strokeWidth={1.5} />
        {label}
      </DropdownMenu.Label>
      {children}
    </DropdownMenu.Group>
  )
}

type OtherModelMenuProps = { models: ModelCard[]; onPick: (id: string) => void; children: ReactNode }

export function OtherModelMenu({ models, onPick, children }: OtherModelMenuProps) {
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={`${MENU} thin-scroll max-h-[min(28rem,var(--radix-dropdown-menu-content-available-height))] overflow-y-auto`}
        >
          {models.map((model) => (
            <DropdownMenu.Item
              key={model.id}
              className={`${MENU_ITEM} justify-between`}
              onSelect={() => onPick(model.id)}
            >
              {model.name}
              <span className="ps-4 font-mono text-12 text-ink-3">
                {model.price ? t('{price} out', { price: formatPrice(model.price.output) }) : t('free')}
              </span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
