import lighthouse, { desktopConfig } from 'lighthouse'
import { withBed } from '@/bench/children'
import { addToReport, aligned, median } from '@/bench/figures'
import { measureAnswer, measureBare, measureLongChat } from '@/bench/ui/legs'
import { measureGallery, measureMemory, measurePicker } from '@/bench/ui/plenty-legs'
import { openUiStage, type Plenty, type UiStage } from '@/bench/ui/stage'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
// A phone of some years ago beside this machine.
const SLOWDOWN = Number(process.env.BENCH_SLOWDOWN ?? 4)
const PLENTY: Plenty = { models: 500, characters: 1_000 }
const MEGABYTE = 1_000_000

/** One figure and its bar; without one it says what the machine was like. Source: research on what a chat app must do, 4.1 and 4.2. */
type Row = { name: string; value: number; unit: string; bar?: number; isAtLeast?: boolean; digits?: number }

/**
 * Measures the page as a person meets it: a long answer as it comes, long chats, many models and characters, the first visit. Its figures
 * depend on what else the machine does, so nothing fails by them.
 *
 * @returns true: slow is not wrong
 */
export async function benchUi(): Promise<boolean> {
  const rows: Row[] = []
  const measureAll = (legs: Leg[]) => async (stage: UiStage) => {
    for (const leg of legs) {
      const measured = await leg(stage)
      console.log(tableOf(measured))
      rows.push(...measured)
    }
  }
  await onStage(measureAll([bareRows, answerRows, longChatRows, memoryRows, lighthouseRows]))
  await onStage(measureAll([galleryRows, pickerRows]), PLENTY)
  const at = new Date().toISOString()
  await addToReport({ ui: { at, rounds: ROUNDS, slowdown: SLOWDOWN, rows } })
  return true
}

type Leg = (stage: UiStage) => Promise<Row[]>

async function onStage(measure: (stage: UiStage) => Promise<void>, plenty?: Plenty): Promise<void> {
  await withBed(
    (folder) => openUiStage(folder, plenty),
    async (stage) => {
      await measure(stage)
    },
  )
}

async function bareRows(stage: UiStage): Promise<Row[]> {
  const of = middle(await rounds('a bare page', () => measureBare(stage, SLOWDOWN)))
  return [
    { name: 'bare page: blocked in 15 s', value: of('blockingMs'), unit: 'ms' },
    { name: 'bare page: frames', value: of('framesPerSecond'), unit: 'a second' },
    { name: 'bare page: key to paint, p98', value: of('keyToPaintP98Ms'), unit: 'ms' },
  ]
}

async function answerRows(stage: UiStage): Promise<Row[]> {
  const runs = await rounds('a long answer', () => measureAnswer(stage, SLOWDOWN))
  const of = middle(runs)
  return [
    { name: 'answer of 24 KB: blocked in all', value: of('blockingMs'), unit: 'ms', bar: 500 },
    { name: 'answer of 24 KB: longest task', value: of('longestTaskMs'), unit: 'ms', bar: 120 },
    { name: 'answer of 24 KB: late frames', value: of('lateFrames') * 100, unit: '%', bar: 5, digits: 1 },
    { name: 'answer of 24 KB: key to paint, p98', value: of('keyToPaintP98Ms'), unit: 'ms', bar: 100 },
  ]
}

async function longChatRows(stage: UiStage): Promise<Row[]> {
  const runs = await rounds('a chat of 500 turns', () => measureLongChat(stage, SLOWDOWN))
  const of = middle(runs.map(({ streaming }) => streaming))
  const openMs = median(runs.map((run) => run.openMs))
  const openNodes = median(runs.map((run) => run.openNodes))
  return [
    { name: 'chat of 500: opened', value: openMs, unit: 'ms', bar: 700 },
    { name: 'chat of 500: elements', value: Math.max(openNodes, of('nodes')), unit: '', bar: 2_500 },
    {
      name: 'chat of 500, answering: frames',
      value: of('framesPerSecond'),
      unit: 'a second',
      bar: 45,
      isAtLeast: true,
    },
    { name: 'chat of 500, answering: blocked in 15 s', value: of('blockingMs'), unit: 'ms', bar: 600 },
    { name: 'chat of 500, answering: key to paint, p98', value: of('keyToPaintP98Ms'), unit: 'ms', bar: 100 },
  ]
}

async function memoryRows(stage: UiStage): Promise<Row[]> {
  const of = middle(await rounds('twenty long chats', () => measureMemory(stage)))
  const grown = (of('after') - of('before')) / MEGABYTE
  return [
    { name: 'twenty chats of 500 in turn: heap before', value: of('before') / MEGABYTE, unit: 'MB', digits: 1 },
    { name: 'twenty chats of 500 in turn: grown', value: grown, unit: 'MB', bar: 30, digits: 1 },
    { name: 'twenty chats of 500 in turn: nodes left', value: of('nodesAfter') - of('nodesBefore'), unit: '' },
  ]
}

// Lists are held to what a person has: not slowed down. Source: the same, 4.3.
async function galleryRows(stage: UiStage): Promise<Row[]> {
  const of = middle(await rounds('1,000 characters', () => measureGallery(stage, 1)))
  const name = '1,000 characters'
  return [
    { name: `${name}, scrolled: frames`, value: of('framesPerSecond'), unit: 'a second' },
    { name: `${name}, scrolled: late frames`, value: of('lateFrames') * 100, unit: '%', bar: 5, digits: 1 },
    { name: `${name}: layout shift`, value: of('layoutShift'), unit: '', bar: 0.02, digits: 3 },
    { name: `${name}: elements`, value: of('nodes'), unit: '', bar: 2_500 },
  ]
}

async function pickerRows(stage: UiStage): Promise<Row[]> {
  const of = middle(await rounds('500 models', () => measurePicker(stage, 1)))
  return [
    { name: '500 models: opened', value: of('openMs'), unit: 'ms', bar: 100 },
    { name: '500 models: key to what was found', value: of('filterMs'), unit: 'ms', bar: 100 },
    { name: '500 models: elements', value: of('nodes'), unit: '', bar: 2_500 },
  ]
}

async function lighthouseRows(stage: UiStage): Promise<Row[]> {
  const phones = await rounds('the first visit on a phone', () => runLighthouse(stage, '/', 'phone'))
  const desks = await rounds('the first visit on a desk', () => runLighthouse(stage, '/', 'desk'))
  const phone = middle(phones)
  return [
    { name: 'phone: performance', value: phone('performance'), unit: '', bar: 95, isAtLeast: true },
    { name: 'phone: accessibility', value: phone('accessibility'), unit: '', bar: 100, isAtLeast: true },
    { name: 'phone: best practices', value: phone('bestPractices'), unit: '', bar: 100, isAtLeast: true },
    { name: 'phone: largest content', value: phone('largestContentMs'), unit: 'ms', bar: 1_800 },
    { name: 'phone: blocked', value: phone('blockingMs'), unit: 'ms', bar: 150 },
    { name: 'phone: layout shift', value: phone('layoutShift'), unit: '', bar: 0.02, digits: 3 },
    { name: 'machine by Lighthouse’s own measure', value: phone('machine'), unit: '' },
    { name: 'desk: performance', value: middle(desks)('performance'), unit: '', bar: 99, isAtLeast: true },
  ]
}

async function rounds<T>(name: string, measure: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    console.error(`measuring: ${name}, ${round} of ${ROUNDS}`)
    results.push(await measure())
  }
  return results
}

const middle =
  <T extends Record<keyof T, number>>(runs: T[]) =>
  (name: keyof T & string): number =>
    median(runs.map((run) => run[name]))

function tableOf(rows: Row[]): string {
  return aligned([
    ['', 'measured', 'bar', ''],
    ...rows.map(({ name, value, unit, bar, isAtLeast = false, digits = 0 }) => [
      name,
      `${value.toFixed(digits)} ${unit}`.trim(),
      ...(bar === undefined
        ? ['', '']
        : [`${isAtLeast ? '≥' : '≤'} ${bar}`, (isAtLeast ? value >= bar : value <= bar) ? 'met' : 'missed']),
    ]),
  ])
}

/** Scores are 0 to 100; times are milliseconds. */
type LighthouseResult = {
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
async function runLighthouse(stage: UiStage, path: string, form: 'phone' | 'desk'): Promise<LighthouseResult> {
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
