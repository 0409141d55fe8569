'use client'

import { ChevronLeft, ChevronRight, Pencil, RefreshCw, Shuffle } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import type { TurnActions } from '@/components/chat/thread'
import { OpenFoundInRpc } from '@/components/rpc/snippets/chat-links'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { formatPrice } from '@/lib/client/cost'
import type { ModelCard } from '@/lib/client/models'
import type { Turn } from '@/lib/client/thread'

const FADED =
  'opacity-0 transition-opacity group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100'

type QuestionActionsProps = { turn: Turn; actions: TurnActions; isBusy: boolean; onEdit: () => void }

export function QuestionActions({ turn, actions, isBusy, onEdit }: QuestionActionsProps) {
  return (
    <div className="flex shrink-0 items-center">
      <div className={`flex ${FADED}`}>
        <CopyButton text={turn.text} label="Copy question" />
        <IconButton label="Edit question" disabled={isBusy} onClick={onEdit}>
          <Pencil aria-hidden="true" />
        </IconButton>
      </div>
      <Versions turn={turn} actions={actions} isBusy={isBusy} />
    </div>
  )
}

type AnswerActionsProps = { turn: Turn; models: ModelCard[]; actions: TurnActions; isLast: boolean; isBusy: boolean }

/** Stays in sight under the last answer, and comes with the pointer or the focus under the others. */
export function AnswerActions({ turn, models, actions, isLast, isBusy }: AnswerActionsProps) {
  return (
    <div className="sheet-foot -ms-2 flex min-h-9 items-center pt-1 pointer-coarse:min-h-11">
      <div className={`flex ${isLast ? '' : FADED}`}>
        <CopyButton text={turn.text} label="Copy answer" />
        <IconButton label="Answer again" disabled={isBusy} onClick={() => void actions.regenerate(turn)}>
          <RefreshCw aria-hidden="true" />
        </IconButton>
        <OtherModel models={models} turn={turn} actions={actions}>
          <IconButton label="Answer again with another model" disabled={isBusy}>
            <Shuffle aria-hidden="true" />
          </IconButton>
        </OtherModel>
        <OpenFoundInRpc text={turn.text} />
      </div>
      <Versions turn={turn} actions={actions} isBusy={isBusy} />
    </div>
  )
}

/** A short menu of the other models; the full list is the picker's. */
export function OtherModel({
  models,
  turn,
  actions,
  children,
}: {
  models: ModelCard[]
  turn: Turn
  actions: TurnActions
  children: ReactNode
}) {
  const others = models.filter((model) => model.id !== turn.modelId && !model.isOffline).slice(0, MAX_OTHERS)
  if (others.length === 0) return null
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={MENU}>
          {others.map((model) => (
            <DropdownMenu.Item
              key={model.id}
              className={`${MENU_ITEM} justify-between`}
              onSelect={() => void actions.regenerate(turn, model.id)}
            >
              {model.name}
              <span className="ps-4 font-mono text-12 text-ink-3">
                {model.price ? `${formatPrice(model.price.output)} out` : 'free'}
              </span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const MAX_OTHERS = 12

/** Which of several versions is shown. */
function Versions({ turn, actions, isBusy }: { turn: Turn; actions: TurnActions; isBusy: boolean }) {
  const { versions } = turn
  const at = versions.indexOf(turn.id)
  const [before, after] = [versions[at - 1], versions[at + 1]]
  if (versions.length < 2) return null
  return (
    <fieldset aria-label="Versions" className="flex items-center text-13 text-ink-3 tabular-nums">
      <IconButton
        label="Earlier version"
        disabled={isBusy || !before}
        onClick={() => before && actions.showVersion(turn, before)}
      >
        <ChevronLeft aria-hidden="true" />
      </IconButton>
      {at + 1}/{versions.length}
      <IconButton
        label="Later version"
        disabled={isBusy || !after}
        onClick={() => after && actions.showVersion(turn, after)}
      >
        <ChevronRight aria-hidden="true" />
      </IconButton>
    </fieldset>
  )
}
