'use client'

import { createElement, memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Formula as FormulaSource } from '@/components/markdown/formulas'
import type { MathElement } from '@/components/markdown/maths'
import { t } from '@/lib/i18n/t'

type Maths = typeof import('@/components/markdown/maths')

let loaded: Maths | undefined

export async function loadMaths(): Promise<Maths> {
  if (loaded) return loaded
  const face = import('@/components/markdown/math-face/load-face').then(({ loadFace }) => loadFace())
  const [maths] = await Promise.all([import('@/components/markdown/maths'), face])
  loaded = maths
  return maths
}

export const Formula = memo(function Formula({ latex, isDisplay, source }: FormulaSource) {
  const maths = useMaths()
  const drawn = useMemo(() => maths?.drawMath(latex, isDisplay), [maths, latex, isDisplay])
  if (!drawn)
    return <code title={maths ? t('This formula has a syntax error. Showing its source.') : undefined}>{source}</code>
  if (!isDisplay) return elementOf(drawn, 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span role="group" aria-label={t('Formula')} tabIndex={0} className="formula thin-scroll">
      {elementOf(drawn, 0)}
    </span>
  )
})

function useMaths(): Maths | undefined {
  const [maths, setMaths] = useState(loaded)
  useEffect(() => {
    if (maths) return
    let isGone = false
    loadMaths().then(
      (found) => !isGone && setMaths(found),
      // Offline before it was ever fetched: the source stays.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [maths])
  return maths
}

function elementOf({ tag, attributes, style, children }: MathElement, key: number): ReactNode {
  const inside = children.map((child, index) => (typeof child === 'string' ? child : elementOf(child, index)))
  return createElement(tag, { ...attributes, style, key }, ...inside)
}
