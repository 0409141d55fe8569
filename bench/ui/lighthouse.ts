import lighthouse, { desktopConfig } from 'lighthouse'
import type { UiStage } from '@/bench/ui/stage'

/** Scores are 0 to 100; times are milliseconds. */
export type LighthouseResult = {
  performance: number
  accessibility: number
  bestPractices: number
  firstContentMs: number
  largestContentMs: number
  blockingMs: number
  layoutShift: number
  /** Lighthouse's benchmark of the machine: a desktop of today has 1,500 and more. */
  machine: number
}

/** Opens a page as Lighthouse does: a phone on a slow line with a slow processor, or a desk. */
export async function runLighthouse(stage: UiStage, path: string, form: 'phone' | 'desk'): Promise<LighthouseResult> {
  const flags = {
    port: stage.debugPort,
    onlyCategories: ['performance', 'accessibility', 'best-practices'],
    logLevel: 'error' as const,
  }
  const open = () => lighthouse(stage.origin + path, flags, form === 'desk' ? desktopConfig : undefined)
  const first = await open()
  // Now and then it misses the beginning of a visit, and asks to be run again.
  const run = first?.lhr.runtimeError ? await open() : first
  if (!run) throw new Error(`Lighthouse gave no result for ${path}`)
  const { categories, audits, runtimeError } = run.lhr
  const faults = Object.values(audits).flatMap(({ id, errorMessage }) =>
    errorMessage ? [`${id}: ${errorMessage}`] : [],
  )
  if (runtimeError) faults.unshift(runtimeError.message)
  if (categories.performance?.score == null)
    throw new Error(`Lighthouse could not measure ${path}. ${faults.join(' ')}`)
  const score = (name: string) => Math.round((categories[name]?.score ?? Number.NaN) * 100)
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    firstContentMs: value('first-contentful-paint'),
    largestContentMs: value('largest-contentful-paint'),
    blockingMs: value('total-blocking-time'),
    layoutShift: value('cumulative-layout-shift'),
    machine: run.lhr.environment.benchmarkIndex,
  }
}
