'use client'

import { Download, GitCompareArrows, MessageCircleQuestion, Search, WrapText } from 'lucide-react'
import type { RefObject } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { downloadBody } from '@/components/rpc/response/download'
import type { TextHandle } from '@/components/rpc/response/text-editor'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { t } from '@/lib/i18n/t'

type TextToolsProps = {
  isWrapped: boolean
  onWrap: (isWrapped: boolean) => void
  handle: RefObject<TextHandle | null>
}

/** What can be done with the text on screen. */
export function TextTools({ isWrapped, onWrap, handle }: TextToolsProps) {
  return (
    <div className="ms-auto flex">
      <IconButton label={t('Find in the response (Ctrl F)')} onClick={() => handle.current?.find()}>
        <Search aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Wrap lines')}
        aria-pressed={isWrapped}
        onClick={() => onWrap(!isWrapped)}
        className="aria-pressed:text-accent"
      >
        <WrapText aria-hidden="true" />
      </IconButton>
    </div>
  )
}

type AnswerActionsProps = {
  answer: RpcAnswer
  /** The text on screen, where it is another one than the body. */
  formatted: RefObject<TextHandle | null> | undefined
  onAsk: ((answer: RpcAnswer) => void) | undefined
  onCompare: ((answer: RpcAnswer) => void) | undefined
}

/** What can be done with a response. */
export function AnswerActions({ answer, formatted, onAsk, onCompare }: AnswerActionsProps) {
  return (
    <div className="-my-1 -me-2 ms-auto flex">
      <CopyButton
        label={formatted ? t('Copy formatted response') : t('Copy response')}
        text={() => formatted?.current?.text() ?? answer.text}
      />
      <IconButton label={t('Download response')} onClick={() => downloadBody(answer)}>
        <Download aria-hidden="true" />
      </IconButton>
      {onCompare && (
        <IconButton label={t('Compare with another response')} onClick={() => onCompare(answer)}>
          <GitCompareArrows aria-hidden="true" />
        </IconButton>
      )}
      {onAsk && (
        <IconButton label={t('Ask about this response')} onClick={() => onAsk(answer)}>
          <MessageCircleQuestion aria-hidden="true" />
        </IconButton>
      )}
    </div>
  )
}
