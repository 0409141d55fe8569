'use client'

import { EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { fillImageDraft } from '@/components/studio/image/draft'
import { imageSettings } from '@/components/studio/image/settings'
import { reuse } from '@/components/studio/image/use-again'
import { Button } from '@/components/ui/button'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** What the service said of the content, in calm words, and what can be done about it. */
export function ContentNote({ creation }: { creation: Generation }) {
  const { content, results, settings } = creation
  if (!content) return null
  const { isBlurred, isViolation, isAdultViolation, hasMinor, enhancedPrompt } = content
  const isSafe = !imageSettings(settings).isSafeModeOff
  const isHidden = isViolation || isAdultViolation || hasMinor
  const withoutSafeMode = () => {
    reuse(creation)
    fillImageDraft({ settings: { ...imageSettings(settings), isSafeModeOff: true } })
  }
  return (
    <>
      {isHidden && (
        <Note title={results.length > 1 ? t('Some images are hidden.') : t('This image is hidden.')}>
          {hasMinor
            ? t('The service withheld the image because it may show a minor.')
            : t('The model rejected the prompt and returned a black image. You were not charged. Try another prompt.')}
        </Note>
      )}
      {isBlurred && (
        <Note title={t('Blurred by safe mode.')}>
          {t('The service classified the image as adult content.')}
          {isSafe && (
            <span className="mt-2 block">
              <Button onClick={withoutSafeMode}>{t('Reuse without safe mode')}</Button>
            </span>
          )}
        </Note>
      )}
      {enhancedPrompt && (
        <details className="px-3 pt-2 text-13 text-ink-2">
          <summary className="w-fit rounded-control text-ink-3 hover:text-ink">{t('Rewritten prompt')}</summary>
          <p dir="auto" className="mt-1 wrap-anywhere">
            {enhancedPrompt}
          </p>
        </details>
      )}
    </>
  )
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex gap-2.5 bg-sunken px-3 py-3 text-13 text-ink-2">
      <EyeOff aria-hidden="true" className="mt-px size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      <div className="min-w-0">
        <p className="text-14 font-medium text-ink">{title}</p>
        <div className="mt-0.5">{children}</div>
      </div>
    </div>
  )
}
