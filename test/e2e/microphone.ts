// A microphone of a page that hums when it is told to, recognition that answers as told, and an engine of speech that takes five seconds
// for anything.

/** To run before a page does. `window.hum(ms)` speaks, `window.answer` is what is recognised; what the page did is kept in `window.kept`. */
export const instruments = `
  window.kept = { opened: 0, closed: 0, recognised: 0, spoken: [], speaking: null };
  window.answer = '';
  const { kept } = window;
  navigator.mediaDevices.getUserMedia = async () => {
    if (window.refuses) throw new DOMException('no', 'NotAllowedError');
    kept.opened++;
    const context = new AudioContext();
    const voice = context.createOscillator();
    const gain = context.createGain();
    const out = context.createMediaStreamDestination();
    gain.gain.value = 0;
    voice.connect(gain).connect(out);
    voice.start();
    window.hum = (ms) => {
      gain.gain.setValueAtTime(0.5, context.currentTime);
      if (ms) gain.gain.setValueAtTime(0, context.currentTime + ms / 1000);
    };
    window.seconds = () => context.currentTime;
    window.hush = () => gain.gain.setValueAtTime(0, context.currentTime);
    for (const track of out.stream.getTracks()) {
      const stop = track.stop.bind(track);
      track.stop = () => { kept.closed++; stop(); };
    }
    return out.stream;
  };
  window.SpeechRecognition = window.webkitSpeechRecognition = class {
    start() {}
    abort() {}
    stop() {
      kept.recognised++;
      setTimeout(() => {
        if (window.answer === null) return;
        if (window.answer !== '' && this.onresult) this.onresult({ results: [[{ transcript: window.answer }]] });
        if (this.onend) this.onend();
      }, 5);
    }
  };
  class FakeUtterance { constructor(text) { this.text = text; } }
  Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: FakeUtterance });
  Object.defineProperty(window, 'speechSynthesis', { value: {
    getVoices: () => [{ lang: 'en-US', name: 'Test', localService: true, default: true }],
    cancel() { kept.speaking = null; },
    speak(utterance) {
      if (utterance.text === '') return;
      kept.spoken.push(utterance.text);
      kept.speaking = utterance.text;
      setTimeout(() => utterance.onstart && utterance.onstart({}), 5);
      // Before the room's watchdog. What was said last stays until it is cut or the next begins.
      setTimeout(() => utterance.onend && utterance.onend({}), 5000);
    },
  } });
`
