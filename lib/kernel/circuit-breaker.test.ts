import { expect, test } from 'vitest'
import { isClosed, newCircuit, recordOutcome, recordRateLimited, recordTry } from '@/lib/kernel/circuit-breaker'

const failed = (times: number, now = 0) => {
  const circuit = newCircuit()
  for (let time = 0; time < times; time++) recordOutcome(circuit, 'failed', now)
  return circuit
}

test('three failures in a row open it; an answer in between does not let it come that far', () => {
  expect(isClosed(failed(2), 0)).toBe(true)
  expect(isClosed(failed(3), 0)).toBe(false)
  const circuit = failed(2)
  recordOutcome(circuit, 'answered', 0)
  recordOutcome(circuit, 'failed', 0)
  expect(isClosed(circuit, 0)).toBe(true)
})

test('after its rest one request tries, and no other meanwhile', () => {
  const circuit = failed(3)
  expect(isClosed(circuit, 2_000)).toBe(true)
  recordTry(circuit)
  expect(isClosed(circuit, 2_000)).toBe(false)
  recordOutcome(circuit, 'answered', 2_000)
  expect(isClosed(circuit, 2_000)).toBe(true)
})

test('a hundred that fail in the same moment rest it no longer than three', () => {
  expect(isClosed(failed(100), 2_000)).toBe(true)
})

test('a try that fails makes the next rest longer', () => {
  const circuit = failed(3)
  recordTry(circuit)
  recordOutcome(circuit, 'failed', 2_000)
  expect(isClosed(circuit, 3_400)).toBe(false)
  expect(isClosed(circuit, 4_600)).toBe(true)
})

test('a try whose end says nothing leaves room for the next', () => {
  const circuit = failed(3)
  recordTry(circuit)
  recordOutcome(circuit, 'unknown', 2_000)
  expect(isClosed(circuit, 2_000)).toBe(true)
})

test('a server that has had enough rests at once, and for no longer each time', () => {
  const circuit = newCircuit()
  for (let time = 0; time < 10; time++) recordRateLimited(circuit, 0)
  expect(isClosed(circuit, 0)).toBe(false)
  expect(isClosed(circuit, 2_000)).toBe(true)
})
