//! How the page is looked at: window, phone, colours, without scripts; and pictures of it.

use super::{Browser, Refused, pictures, text_of};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A common phone, held upright.
pub const PHONE: (u32, u32) = (390, 844);

impl Browser {
    /// A window on a desk, with this much room for the page.
    #[track_caller]
    pub fn window(&self, width: u32, height: u32) -> &Self {
        self.metrics(width, height, false)
    }

    #[track_caller]
    pub fn phone(&self) -> &Self {
        self.metrics(PHONE.0, PHONE.1, true)
    }

    #[track_caller]
    fn metrics(&self, width: u32, height: u32, mobile: bool) -> &Self {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.tell("Emulation.setDeviceMetricsOverride", &metrics)
    }

    /// As a person who prefers dark pages, or light ones.
    #[track_caller]
    pub fn dark(&self, dark: bool) -> &Self {
        let value = if dark { "dark" } else { "light" };
        let feature = json!({"name": "prefers-color-scheme", "value": value});
        self.tell("Emulation.setEmulatedMedia", &json!({"features": [feature]}))
    }

    /// As it is printed, from now on.
    #[track_caller]
    pub fn paper(&self, on: bool) -> &Self {
        self.tell("Emulation.setEmulatedMedia", &json!({"media": if on { "print" } else { "" }}))
    }

    /// Whether the scripts of pages run, from the next page on.
    #[track_caller]
    pub fn scripts(&self, on: bool) -> &Self {
        self.tell("Emulation.setScriptExecutionDisabled", &json!({"value": !on}))
    }

    /// The page is no wider than the window.
    #[track_caller]
    pub fn expect_no_sideways_scrolling(&self) -> &Self {
        let script = "
            const room = document.documentElement.clientWidth;
            const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > room + 1);
            return [document.documentElement.scrollWidth <= room,
                    wide.slice(0, 3).map(e => e.cloneNode(false).outerHTML).join('\\n')]";
        let found = self.run(script, &[]);
        if found[0] != json!(true) {
            self.fail(&format!("the page is wider than the window:\n{}", text_of(&found[1])));
        }
        self
    }

    /// A picture of what is shown, kept under this name.
    #[track_caller]
    pub fn picture(&self, name: &str) -> PathBuf {
        let path = pictures().join(format!("{name}.png"));
        match self.taken() {
            Ok(picture) => std::fs::write(&path, picture)
                .unwrap_or_else(|cause| panic!("{} is not written: {cause}", path.display())),
            Err(refused) => self.fail(&format!("no picture: {refused}")),
        }
        path
    }

    pub(super) fn taken(&self) -> Result<Vec<u8>, Refused> {
        let picture = self.driver.get("screenshot")?;
        Ok(bytes_of_base64(&text_of(&picture)))
    }

    #[track_caller]
    fn tell(&self, command: &str, parameters: &Value) -> &Self {
        self.must(command, self.driver.tell(command, parameters));
        self
    }
}

/// Whatever is not of its alphabet ends it.
fn bytes_of_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap_or_default());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::bytes_of_base64;

    #[test]
    fn base64_with_and_without_padding_is_read() {
        for (text, bytes) in
            [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("fn5+", "~~~")]
        {
            assert_eq!(bytes_of_base64(text), bytes.as_bytes(), "{text}");
        }
        assert_eq!(bytes_of_base64("//8A"), [255, 255, 0]);
    }
}
