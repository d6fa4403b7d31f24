// The page's half of the stand-in: YT.Player, which makes the frame and talks to it by messages.
(() => {
  const EVENTS = {
    onReady: "onReady", onStateChange: "onStateChange", onError: "onError",
    onPlaybackRateChange: "onPlaybackRateChange", onAutoplayBlocked: "onAutoplayBlocked",
  };
  const calls = [], made = [];
  let count = 0;

  class Player {
    constructor(place, options) {
      this.options = options;
      made.push(this);
      this.info = { currentTime: 0, duration: 0, playerState: -1, playbackRate: 1, muted: false };
      this.host = options.host || "https://www.youtube.com";
      const query = new URLSearchParams({ ...options.playerVars, widgetid: String(++count) });
      const frame = document.createElement("iframe");
      frame.id = place.id || `widget${count}`;
      frame.title = "YouTube video player";
      frame.allow = "accelerometer; autoplay; encrypted-media; gyroscope; picture-in-picture; web-share";
      frame.width = options.width ?? "640";
      frame.height = options.height ?? "360";
      frame.src = `${this.host}/embed/${options.videoId}?${query}`;
      this.frame = frame;
      this.listener = (event) => this.hear(event);
      window.addEventListener("message", this.listener);
      // The frame learns who listens by being told again and again until it answers.
      this.knock = setInterval(() => this.post({ event: "listening" }), 100);
      place.replaceWith(frame);
    }

    hear(event) {
      if (event.source !== this.frame.contentWindow || event.origin !== this.host) return;
      clearInterval(this.knock);
      const message = JSON.parse(event.data);
      if (message.event === "infoDelivery" || message.event === "initialDelivery") {
        Object.assign(this.info, message.info); // what the getters give until the next one comes
        return;
      }
      if (message.event === "onReady") Object.assign(this, this.methods());
      const listener = this.options.events?.[EVENTS[message.event]];
      if (listener) listener({ target: this, data: message.info ?? null });
    }

    post(message) {
      this.frame.contentWindow?.postMessage(JSON.stringify(message), this.host);
    }

    // Methods other than these are there only once the player is ready.
    getIframe() { return this.frame; }
    destroy() {
      clearInterval(this.knock);
      window.removeEventListener("message", this.listener);
      this.frame.remove();
    }

    methods() {
      const command = (name) => (...args) => {
        calls.push([name, ...args]);
        this.post({ event: "command", func: name, args });
      };
      const names = ["playVideo", "pauseVideo", "stopVideo", "seekTo", "mute", "unMute",
        "setPlaybackRate", "loadVideoById", "cueVideoById"];
      return {
        ...Object.fromEntries(names.map((name) => [name, command(name)])),
        getCurrentTime: () => this.info.currentTime,
        getDuration: () => this.info.duration,
        getPlayerState: () => this.info.playerState,
        getPlaybackRate: () => this.info.playbackRate,
        isMuted: () => this.info.muted,
        getAvailablePlaybackRates: () => [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2],
      };
    }
  }

  window.YT = { Player, calls, made, PlayerState: { UNSTARTED: -1, ENDED: 0, PLAYING: 1, PAUSED: 2, BUFFERING: 3, CUED: 5 } };
  window.onYouTubeIframeAPIReady?.();
})();
